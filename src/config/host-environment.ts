/** Variables by which programs find their way on a machine, and which hold no secrets of the server. */
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

/** What programs that are started for others find of the environment: nothing that is not named here. */
export const hostEnvironment = (): Readonly<Record<string, string>> =>
  Object.fromEntries(
    passedOn.flatMap((name) => {
      const value = process.env[name]
      return value === undefined ? [] : [[name, value] as const]
    }),
  )

/** The registration token of `ingot runner`, which is not written where others on the machine see it. */
export const runnerTokenVariable = (): string | undefined => process.env['INGOT_RUNNER_TOKEN']
