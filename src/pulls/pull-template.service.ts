import type { RepoCtx } from '../access/context.ts'
import { filesIn, headOf, isTemplateName, templateReader } from '../issues/templates/template-file.service.ts'
import type { ReadTemplates } from '../issues/templates/template-file.service.ts'
import type { PullTemplate } from '../issues/templates/template.parse.ts'

const names = ['PULL_REQUEST_TEMPLATE', 'pull_request_template']
const places = ['', '.forgejo/', '.gitea/', '.github/', '.gitlab/', 'docs/'].flatMap((folder) =>
  names.map((name) => `${folder}${name}`),
)

/** Paths of the template that a new pull request begins with; the first existing one counts. */
const paths = places.flatMap((place) => ['md', 'yaml', 'yml'].map((ending) => `${place}.${ending}`))

const readTemplates = templateReader<PullTemplate>('pull request templates', (parser, path, text) =>
  parser.parsePullTemplate(path, text),
)

/** The templates of pull requests, and the path of the one that a new pull request begins with. */
export interface PullTemplates extends ReadTemplates<PullTemplate> {
  readonly usual: string | undefined
}

/**
 * Returns the templates of pull requests on the default branch: a single file, and those of folders. A new pull request begins
 * with the single file, or with the only template.
 */
export async function getPullTemplates(ctx: RepoCtx): Promise<PullTemplates> {
  const head = await headOf(ctx)
  if (head === undefined) return { templates: [], broken: [], usual: undefined }
  const [found, inFolders] = await Promise.all([
    ctx.git.findPaths(ctx.repo.git_key, head, paths),
    filesIn(ctx, head, places),
  ])
  const single = paths
    .flatMap((path) => {
      const entry = found.get(path)
      return entry?.type === 'blob' ? [{ path, oid: entry.oid }] : []
    })
    .slice(0, 1)
  const files = [...single, ...inFolders.filter(({ path }) => isTemplateName(path))]
  const { templates, broken } = await readTemplates(ctx, files)
  const withBrokenHead = templates.flatMap(({ path, headProblem: problem }) =>
    problem === undefined ? [] : [{ path, problem }],
  )
  return {
    templates,
    broken: [...broken, ...withBrokenHead],
    usual: single.length > 0 || files.length === 1 ? files[0]?.path : undefined,
  }
}
