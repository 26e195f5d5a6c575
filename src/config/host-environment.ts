/** The variables that child processes inherit. They hold no secrets of the server. */
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

/** Returns the environment for child processes, with only the listed variables. */
export const hostEnvironment = (): Readonly<Record<string, string>> =>
  Object.fromEntries(
    passedOn.flatMap((name) => {
      const value = process.env[name]
      return value === undefined ? [] : [[name, value] as const]
    }),
  )

/**
 * Returns the registration token of `ingot runner`. Unlike an option, a variable is not visible to other users of the
 * machine.
 */
export const runnerTokenVariable = (): string | undefined => process.env['INGOT_RUNNER_TOKEN']
