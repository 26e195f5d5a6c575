import { Refusal, Unavailable } from '../../lib/errors.ts'
import { explainMissing, type GitContext, type Location } from '../context.ts'

/** A reading command whose output may be cut. */
interface BoundedCommand {
  readonly args: readonly string[]
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
  readonly maxBytes: number
  /** Exit codes above this one are errors; the default is 0. */
  readonly maxExitCode?: number
  /** Sees each chunk; returning true ends the command. */
  readonly hasEnough?: (chunk: Buffer) => boolean
}

/** Reads the output of a command until it ends, is long enough, or takes too long; `isWhole` says whether it ended. */
export async function readBounded(
  context: GitContext,
  location: Location,
  { args, timeoutMs, signal, maxBytes, maxExitCode = 0, hasEnough = () => false }: BoundedCommand,
): Promise<{ readonly output: Buffer; readonly isWhole: boolean }> {
  const chunks: Buffer[] = []
  let bytes = 0
  let isWhole = true
  const take = (chunk: Buffer): boolean => {
    // The broker uses the memory of a piece again.
    chunks.push(Buffer.from(chunk))
    bytes += chunk.length
    isWhole = !hasEnough(chunk) && bytes <= maxBytes
    return isWhole
  }
  const command = { args, cwd: location.directory, environment: location.environment, timeoutMs, signal }
  try {
    const { exitCode, stderr } = await context.broker.each(command, take)
    if (exitCode > maxExitCode) throw new Unavailable(`git failed: ${stderr.slice(0, 200)}`, 'git_failed')
  } catch (error) {
    if (!(error instanceof Refusal && error.code === 'git_timeout')) return explainMissing(location, error)
    isWhole = false
  }
  return { output: Buffer.concat(chunks), isWhole }
}
