/** An error or warning about a settings file, variable or option. */
export interface ConfigRemark {
  /** Location: `app.ini line 3`, the name of a variable, an option. */
  readonly where: string
  readonly file?: string
  /** 1 is the first line. */
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

/** The settings cannot be used; `problems` has all of them, those of the file first and by line. */
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
