import pino from 'pino'
import type { Log } from '../lib/log.ts'

const levels = {
  trace: 'trace',
  debug: 'debug',
  info: 'info',
  warn: 'warn',
  error: 'error',
  fatal: 'fatal',
  none: 'silent',
} as const

/** Returns a log that writes JSON lines to standard error, from `level` up. */
export function createLog(level: keyof typeof levels): Log {
  const logger = pino(
    {
      level: levels[level],
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { error: pino.stdSerializers.err },
    },
    pino.destination({ dest: 2, sync: true }),
  )
  return (each, message, data) => logger[each](data ?? {}, message)
}
