/** Variables that child processes need, without secrets of the server. */
const passedOn = [
  'PATH',
  'LANG',
  'LC_ALL',
  'TZ',
  'USER',
  'LOGNAME',
  'SHELL',
  'TMPDIR',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
] as const

/** Returns the environment of child processes: only listed variables. */
export const hostEnvironment = (): Readonly<Record<string, string>> =>
  Object.fromEntries(
    passedOn.flatMap((name) => {
      const value = process.env[name]
      return value === undefined ? [] : [[name, value] as const]
    }),
  )

/**
 * Returns the registration token of `ingot runner` from the environment, where other users of the machine cannot see it.
 */
export const runnerTokenVariable = (): string | undefined => process.env['INGOT_RUNNER_TOKEN']
