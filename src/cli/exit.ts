import { CommanderError } from 'commander'
import { ConfigError, formatRemark, type ConfigRemark } from '../config/config-error.ts'
import { FolderInUse } from '../db/folder-lock.ts'
import { Refusal } from '../lib/errors.ts'

/** Exit codes; those above 2 are from sysexits.h. */
export const exitCodes = {
  ok: 0,
  /** The command failed, or `doctor` found an inconsistency. */
  failure: 1,
  usage: 2,
  /** A defect of the program. */
  internal: 70,
  /** Another process serves the data folder. */
  inUse: 75,
  config: 78,
} as const

/** A failure that the user of the command can fix. The program prints its message without a stack. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure'
}

/** A failure together with warnings about the settings, which may be its cause. */
export class WarnedFailure extends Error {
  override readonly name = 'WarnedFailure'
  constructor(
    readonly warnings: readonly ConfigRemark[],
    cause: unknown,
  ) {
    super('the command failed', { cause })
  }
}

/** System errors whose message needs no stack. */
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

/** Prints the failure and returns the exit code. */
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
  // What an S3 service answers to a wrong key or a missing bucket (storage/s3-service.ts).
  if (Error.isError(error) && '$metadata' in error) {
    const reason = `${error.name}: ${error.message}`
    return say(`the object storage refuses: ${reason}; check its keys and bucket in [storage]`, exitCodes.failure)
  }
  if (Error.isError(error) && systemCodes.has(String((error as { code?: unknown }).code))) {
    return say(error.message, exitCodes.failure)
  }
  return say(Error.isError(error) ? (error.stack ?? error.message) : String(error), exitCodes.internal)
}
