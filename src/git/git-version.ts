import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)
const timeoutMs = 30_000

/** Binaries that were found to be new enough; instances in one process ask once. */
const known = new Set<string>()

/**
 * Rejects when git is missing, does not answer, or is older than 2.39. The server itself runs only this command, once
 * at its start, while it is small (docs/decisions/0014-git-broker.md).
 */
export async function checkGitVersion(gitBinary: string, environment: NodeJS.ProcessEnv): Promise<void> {
  if (known.has(gitBinary)) return
  const { stdout } = await run(gitBinary, ['version'], { env: environment, timeout: timeoutMs, maxBuffer: 4096 }).catch(
    (error: unknown) => {
      const { code } = error as { readonly code?: unknown }
      const reason = code === 'ENOENT' ? 'it does not exist' : code === 'EACCES' ? 'it may not be run' : String(error)
      throw new Error(
        `${gitBinary} cannot be started: ${reason}; install git 2.39 or newer, or name it with [git].PATH`,
        { cause: error },
      )
    },
  )
  const version = /(\d+)\.(\d+)/.exec(stdout)
  const [major, minor] = [Number(version?.[1]), Number(version?.[2])]
  if (version === null || major < 2 || (major === 2 && minor < 39)) {
    throw new Error(
      `${gitBinary} is too old: "${stdout.trim().slice(0, 100)}"; install git 2.39 or newer, or name it with [git].PATH`,
    )
  }
  known.add(gitBinary)
}
