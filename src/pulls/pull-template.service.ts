import type { RepoCtx } from '../access/context.ts'
import type { PullTemplate } from '../issues/templates/template.parse.ts'
import type { Oid } from '../lib/ids.ts'
import { branchRef } from '../lib/refs.ts'

const names = ['PULL_REQUEST_TEMPLATE.md', 'pull_request_template.md']
const folders = ['', '.forgejo/', '.gitea/', '.github/', '.gitlab/', 'docs/']

/** Paths of templates; the first existing one counts. */
const paths = folders.flatMap((folder) => names.map((name) => `${folder}${name}`))

/** Larger templates are ignored. */
const maxBytes = 64 * 1024

/** Returns the template of pull requests on the default branch; undefined without one. */
export async function getPullTemplate(ctx: RepoCtx): Promise<PullTemplate | undefined> {
  const { git, repo } = ctx
  const head: Oid | undefined = await git.readRef(repo.git_key, branchRef(repo.default_branch))
  if (head === undefined) return undefined
  const found = await git.findPaths(repo.git_key, head, paths)
  const entry = paths.map((path) => found.get(path)).find((each) => each?.type === 'blob')
  if (!entry) return undefined
  const { content } = await git.readBlob(repo.git_key, entry.oid, { maxBytes })
  if (!content) return undefined
  // Loaded on demand, because the YAML parser adds time and memory to the start.
  const { parsePullTemplate } = await import('../issues/templates/template.parse.ts')
  return parsePullTemplate(content.toString('utf8'))
}
