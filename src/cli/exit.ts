import { CommanderError } from 'commander'
import { ConfigError, formatRemark, type ConfigRemark } from '../config/config-error.ts'
import { FolderInUse } from '../db/folder-lock.ts'
import { Refusal } from '../lib/errors.ts'

/** How the program ends; numbers above 2 are those of sysexits.h. */
export const exitCodes = {
  ok: 0,
  /** What was asked for could not be done, or `doctor` found something. */
  failure: 1,
  usage: 2,
  /** A defect of the program. */
  internal: 70,
  /** Another process serves the data folder. */
  inUse: 75,
  config: 78,
} as const

/** Something that the person at the keyboard can put right; only its message is shown. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure'
}

/** A failure of a command whose settings are doubtful: they may be the cause. */
export class WarnedFailure extends Error {
  override readonly name = 'WarnedFailure'
  constructor(
    readonly warnings: readonly ConfigRemark[],
    cause: unknown,
  ) {
    super('the command failed', { cause })
  }
}

/** Messages of the system that say enough by themselves. */
const systemCodes = new Set([
  'EADDRINUSE',
  'EADDRNOTAVAIL',
  'EACCES',
  'EPERM',
  'ENOSPC',
  'EROFS',
  'ECONNREFUSED',
  'ENOTFOUND',
])

/** Says what went wrong, and gives the code to end with. */
export function reportFailure(error: unknown, err: (text: string) => void): number {
  const say = (message: string, code: number): number => {
    err(`ingot: ${message}\n`)
    return code
  }
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage
  if (error instanceof WarnedFailure) {
    for (const warning of error.warnings) err(`warning: ${formatRemark(warning)}\n`)
    return reportFailure(error.cause, err)
  }
  if (error instanceof ConfigError) {
    for (const warning of error.warnings) err(`warning: ${formatRemark(warning)}\n`)
    return say(error.message, exitCodes.config)
  }
  if (error instanceof FolderInUse) return say(error.message, exitCodes.inUse)
  if (error instanceof Refusal || error instanceof CommandFailure) return say(error.message, exitCodes.failure)
  if (Error.isError(error) && systemCodes.has(String((error as { code?: unknown }).code))) {
    return say(error.message, exitCodes.failure)
  }
  return say(Error.isError(error) ? (error.stack ?? error.message) : String(error), exitCodes.internal)
}
