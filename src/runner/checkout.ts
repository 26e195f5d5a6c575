import { Buffer } from 'node:buffer'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Processes } from './processes.ts'

/** The settings of git for one job. */
export interface Git {
  readonly processes: Processes
  readonly env: Readonly<Record<string, string>>
  readonly serverUrl: string
  /** The repository of the job, and the token that reads it. */
  readonly repository: string
  readonly token: string
  readonly log: (texts: readonly string[]) => void
  readonly signal: AbortSignal
}

/** A failure of a step. Its message is written to the log. */
export class StepFailure extends Error {}

/** Returns the value of git's `extraheader` setting that sends a token. */
const tokenHeader = (token: string): string =>
  `AUTHORIZATION: basic ${Buffer.from(`x-access-token:${token}`).toString('base64')}`

const headerKey = ({ serverUrl }: Git): string => `http.${serverUrl.replace(/\/?$/, '/')}.extraheader`

/**
 * Checks a name from a workflow or an event. Another text could be an option of git (`--upload-pack=…`) or a refspec (`a:b`),
 * and not all git commands accept `--`.
 */
function checkName(name: string): string {
  // oxlint-disable-next-line no-control-regex -- as git refuses them
  if (name === '' || name.length > 1024 || /^[-+]|[\x00-\x20\x7f~^:?*[\\]|\.\./.test(name)) {
    throw new StepFailure(`${JSON.stringify(name.slice(0, 100))} is not a valid commit, branch or tag`)
  }
  return name
}

/** Returns the address of a repository of the forge. */
function addressOf({ serverUrl }: Git, repository: string): string {
  if (!/^[\w.-]+\/[\w.-]+$/.test(repository) || /(?:^|\/)\.{1,2}(?:\/|$)/.test(repository)) {
    throw new StepFailure(`repository ${JSON.stringify(repository.slice(0, 200))}: write \`owner/repository\``)
  }
  return `${serverUrl.replace(/\/$/, '')}/${repository}.git`
}

/** Runs git and returns whether it succeeded. Without `mayFail` a failure writes the output to the log and throws. */
async function runGit(git: Git, cwd: string, args: readonly string[], mayFail = false): Promise<boolean> {
  const output: string[] = []
  const code = await git.processes.run({
    command: 'git',
    args,
    cwd,
    env: git.env,
    lines: (texts) => void output.push(...texts),
    signal: git.signal,
  })
  if (code === 0) return true
  if (mayFail) return false
  git.log(output)
  throw new StepFailure(`git ${args[0]} ended with ${code ?? 'a signal'}`)
}

export interface FetchRequest {
  readonly repository: string
  /** Commits, branches or tags. The first one that can be fetched is used. */
  readonly wanted: readonly string[]
  /** The number of commits to fetch; 0 for the whole history. */
  readonly depth: number
  readonly token?: string
}

/** Checks out a commit of a repository. Without a token other repositories than the job's own are fetched as a guest. */
export async function fetchCommit(
  git: Git,
  folder: string,
  { repository, wanted, depth, token }: FetchRequest,
): Promise<void> {
  const usedToken = token ?? (repository.toLowerCase() === git.repository.toLowerCase() ? git.token : '')
  // In the environment, because other users of the machine can read the arguments of processes.
  const env =
    usedToken === ''
      ? git.env
      : {
          ...git.env,
          GIT_CONFIG_COUNT: '1',
          GIT_CONFIG_KEY_0: headerKey(git),
          GIT_CONFIG_VALUE_0: tokenHeader(usedToken),
        }
  const authenticated = { ...git, env }
  const address = addressOf(git, repository)
  wanted.forEach(checkName)
  await runGit(git, folder, ['init', '--quiet', '.'])
  await runGit(git, folder, ['remote', 'remove', 'origin'], true)
  await runGit(git, folder, ['remote', 'add', 'origin', address])
  const limit = depth > 0 ? [`--depth=${depth}`] : []
  for (const [index, ref] of wanted.entries()) {
    const isLast = index === wanted.length - 1
    const branch = /^refs\/heads\/(.+)$/.exec(ref)?.[1]
    const into = branch === undefined ? ref : `+${ref}:refs/remotes/origin/${branch}`
    const fetch = ['fetch', '--quiet', ...(depth > 0 ? ['--no-tags'] : ['--tags']), ...limit, 'origin', into]
    if (await runGit(authenticated, folder, fetch, !isLast)) break
  }
  await runGit(git, folder, ['checkout', '--quiet', '--force', '--detach', 'FETCH_HEAD'])
}

/**
 * Configures the token of the job in a checkout, so that later steps can fetch and push. The token is written to a private
 * file that the checkout's settings include, because other users of the machine can read the arguments of `git config`.
 */
export async function storeToken(git: Git, folder: string, token: string): Promise<void> {
  const settings = join(folder, '.git', 'ingot-token')
  await rm(settings, { force: true })
  await writeFile(
    settings,
    `[http "${git.serverUrl.replace(/\/?$/, '/')}"]\n\textraheader = "${tokenHeader(token)}"\n`,
    {
      mode: 0o600,
      flag: 'wx',
    },
  )
  await runGit(git, folder, ['config', '--local', '--replace-all', 'include.path', 'ingot-token', '^ingot-token$'])
}

/** Checks out the branch of the run at its commit, or the detached commit. */
export async function checkOutRun(git: Git, folder: string, commit: string, ref: string): Promise<void> {
  const branch = /^refs\/heads\/(.+)$/.exec(ref)?.[1]
  const target = branch === undefined ? ['--detach', checkName(commit)] : ['-B', checkName(branch), checkName(commit)]
  await runGit(git, folder, ['checkout', '--quiet', '--force', ...target])
}
