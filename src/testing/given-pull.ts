import type { Answer } from './client.ts'
import type { Forge } from './forge.ts'
import type { GivenRepo } from './given.ts'
import { base64 } from './samples.ts'

/** The parts of a forge that creating commits and pull requests needs; the published `Forge` has them too. */
interface PullForge {
  readonly given: { name(prefix: string): string; repo(): Promise<GivenRepo> }
  as(login: string): {
    get(path: string): Promise<Pick<Answer, 'status' | 'json'>>
    must(method: string, path: string, body?: unknown): Promise<Pick<Answer, 'json'>>
  }
}

/** Commits files to a branch, which begins at `from` when it does not exist; returns the commit. */
export async function commitFiles(
  forge: PullForge,
  repo: GivenRepo,
  branch: string,
  files: Readonly<Record<string, string>>,
  options: { readonly as?: string; readonly from?: string; readonly message?: string } = {},
): Promise<string> {
  const { as = repo.owner, message = `change ${branch}` } = options
  const known = await forge.as(as).get(`${repo.api}/branches/${encodeURIComponent(branch)}`)
  const isNew = known.status === 404
  let head = ''
  for (const [path, content] of Object.entries(files)) {
    const starts = isNew && head === ''
    const from = starts ? (options.from ?? 'main') : branch
    const existing = await forge.as(as).get(`${repo.api}/contents/${path}?ref=${encodeURIComponent(from)}`)
    const isThere = existing.status === 200
    const { json } = await forge.as(as).must(isThere ? 'PUT' : 'POST', `${repo.api}/contents/${path}`, {
      message,
      content: base64(content),
      branch: from,
      ...(starts ? { new_branch: branch } : {}),
      ...(isThere ? { sha: existing.json.sha } : {}),
    })
    head = json.commit.sha
  }
  return head
}

/** A pull request of a test. */
export interface GivenPull {
  readonly repo: GivenRepo
  readonly number: number
  readonly branch: string
  /** Head commit. */
  readonly head: string
  /** Path below the API root. */
  readonly api: string
}

/** Creates an open pull request with one new file, by default by the owner of a new repository. */
export async function givenPull(
  forge: PullForge,
  options: {
    readonly repo?: GivenRepo
    readonly poster?: string
    readonly branch?: string
    readonly base?: string
  } & Readonly<Record<string, unknown>> = {},
): Promise<GivenPull> {
  const {
    repo = await forge.given.repo(),
    branch = forge.given.name('topic'),
    base = 'main',
    poster,
    ...more
  } = options
  const head = await commitFiles(forge, repo, branch, { [`${branch}.txt`]: `${branch}\n` }, { from: base })
  const { json } = await forge
    .as(poster ?? repo.owner)
    .must('POST', `${repo.api}/pulls`, { head: branch, base, title: `Change ${branch}`, ...more })
  return { repo, number: json.number, branch, head, api: `${repo.api}/pulls/${json.number}` }
}

/** Makes an account a collaborator of a repository. */
export async function collaborator(forge: Forge, repo: GivenRepo, name: string, permission = 'write'): Promise<void> {
  await forge.account(name)
  await forge.as(repo.owner).must('PUT', `${repo.api}/collaborators/${name}`, { permission })
}
