export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

/** Writes one line of the log. `data` holds no secrets: no tokens, passwords, cookies or bodies. */
export type Log = (level: LogLevel, message: string, data?: Readonly<Record<string, unknown>>) => void
