import { Buffer } from 'node:buffer'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Processes } from './processes.ts'

/** What git is run with, for one job. */
export interface Git {
  readonly processes: Processes
  readonly env: Readonly<Record<string, string>>
  readonly serverUrl: string
  /** The repository of the job, and the token that reads it. */
  readonly repository: string
  readonly token: string
  readonly say: (texts: readonly string[]) => void
  readonly signal: AbortSignal
}

/** A step could not do what it was to do; its message is told in the log. */
export class StepFailure extends Error {}

/** The header by which git shows a token, as its settings have it. */
const tokenHeader = (token: string): string =>
  `AUTHORIZATION: basic ${Buffer.from(`x-access-token:${token}`).toString('base64')}`

const headerKey = ({ serverUrl }: Git): string => `http.${serverUrl.replace(/\/?$/, '/')}.extraheader`

/**
 * Names that files and strangers give: what no reference and no commit is called by might be an option of git (`--upload-pack=…`)
 * or another place to write to (`a:b`). Not every command of git can be told where its options end.
 */
function checkName(name: string): string {
  // oxlint-disable-next-line no-control-regex -- as git refuses them
  if (name === '' || name.length > 1024 || /^[-+]|[\x00-\x20\x7f~^:?*[\\]|\.\./.test(name)) {
    throw new StepFailure(`${JSON.stringify(name.slice(0, 100))} is no name of a commit, a branch or a tag`)
  }
  return name
}

/** The address of a repository of the forge. */
function addressOf({ serverUrl }: Git, repository: string): string {
  if (!/^[\w.-]+\/[\w.-]+$/.test(repository) || /(?:^|\/)\.{1,2}(?:\/|$)/.test(repository)) {
    throw new StepFailure(`${JSON.stringify(repository.slice(0, 200))} is no repository: it is \`owner/repository\``)
  }
  return `${serverUrl.replace(/\/$/, '')}/${repository}.git`
}

/** Runs git; what it says comes into the log. An exit code that is not zero is a `StepFailure`. */
async function runGit(git: Git, cwd: string, args: readonly string[], isTried = false): Promise<boolean> {
  const said: string[] = []
  const code = await git.processes.run({
    command: 'git',
    args,
    cwd,
    env: git.env,
    lines: (texts) => void said.push(...texts),
    signal: git.signal,
  })
  if (code === 0) return true
  if (isTried) return false
  git.say(said)
  throw new StepFailure(`git ${args[0]} ended with ${code ?? 'a signal'}`)
}

export interface Wanted {
  readonly repository: string
  /** Commits, branches or tags; the first that the forge gives. */
  readonly wanted: readonly string[]
  /** Commits of history; 0 is all. */
  readonly depth: number
  readonly token?: string
}

/** Puts a commit of a repository into a folder. Other repositories than the job's own are read as everybody reads them. */
export async function fetchCommit(
  git: Git,
  folder: string,
  { repository, wanted, depth, token }: Wanted,
): Promise<void> {
  const shown = token ?? (repository.toLowerCase() === git.repository.toLowerCase() ? git.token : '')
  // By the environment: others on the machine see the arguments of processes.
  const env =
    shown === ''
      ? git.env
      : {
          ...git.env,
          GIT_CONFIG_COUNT: '1',
          GIT_CONFIG_KEY_0: headerKey(git),
          GIT_CONFIG_VALUE_0: tokenHeader(shown),
        }
  const signedIn = { ...git, env }
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
    if (await runGit(signedIn, folder, fetch, !isLast)) break
  }
  await runGit(git, folder, ['checkout', '--quiet', '--force', '--detach', 'FETCH_HEAD'])
}

/**
 * Has git in a checkout show the token of the job, so that later steps may fetch and push. It is written to a file for the user
 * who runs the job alone, which the settings of the checkout include: others on the machine see the arguments of `git config`.
 */
export async function keepToken(git: Git, folder: string, token: string): Promise<void> {
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

/** Puts the checkout on the branch of the run, or on the commit that it is of. */
export async function settleOn(git: Git, folder: string, commit: string, ref: string): Promise<void> {
  const branch = /^refs\/heads\/(.+)$/.exec(ref)?.[1]
  const place = branch === undefined ? ['--detach', checkName(commit)] : ['-B', checkName(branch), checkName(commit)]
  await runGit(git, folder, ['checkout', '--quiet', '--force', ...place])
}
