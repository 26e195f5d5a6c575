@rem Windows has no exec, with which the scripts of package.json give their process to the server.
@%*
