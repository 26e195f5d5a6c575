export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

/** Writes a log line. `data` must not contain secrets: tokens, passwords, cookies, bodies. */
export type Log = (level: LogLevel, message: string, data?: Readonly<Record<string, unknown>>) => void
