/** An error or warning about a settings file, variable or option. */
export interface ConfigRemark {
  /** The location: `app.ini line 3`, a variable name or an option. */
  readonly where: string
  readonly file?: string
  /** Counts from 1. */
  readonly line?: number
  readonly section: string
  readonly key: string
  readonly reason: string
}

/** `app.ini line 3: [server] HTTP_PORT: must be …` */
export const formatRemark = (remark: ConfigRemark): string => {
  const name = `${remark.section === '' ? '' : `[${remark.section}]`} ${remark.key}`.trim()
  return [remark.where, name, remark.reason].filter((part) => part !== '').join(': ')
}

/** Thrown for unusable settings. `problems` contains all errors; those of the file come first, in line order. */
export class ConfigError extends Error {
  readonly problems: readonly ConfigRemark[]
  /** Warnings. */
  readonly warnings: readonly ConfigRemark[]
  constructor(problems: readonly ConfigRemark[], warnings: readonly ConfigRemark[] = []) {
    super(`the settings cannot be used:\n${problems.map((problem) => `  ${formatRemark(problem)}`).join('\n')}`)
    this.name = 'ConfigError'
    this.problems = problems
    this.warnings = warnings
  }
}
