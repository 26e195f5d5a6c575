import type { RepoCtx } from '../../access/context.ts'
import { mode } from '../../access/rights.ts'
import type { Oid } from '../../lib/ids.ts'
import { branchRef } from '../../lib/refs.ts'
import type { IssueConfig, IssueTemplate } from './template.parse.ts'

/** Loaded when templates are asked for: reading YAML would cost the start its time and memory. */
const loadParser = () => import('./template.parse.ts')

const folderNames = ['ISSUE_TEMPLATE', 'issue_template']
const below = (places: readonly string[]) => places.flatMap((place) => folderNames.map((name) => `${place}/${name}`))

const templateFolders = [...folderNames, ...below(['.forgejo', '.gitea', '.github', '.gitlab'])]
const configFolders = below(['.forgejo', '.gitea', '.github'])

/** Most templates of a repository, and the largest; what is beyond is left out. */
const maxTemplates = 100
const maxBytes = 256 * 1024

interface TemplateFile {
  readonly path: string
  readonly oid: Oid
}

/** Head of the default branch; undefined when there is none, or when the viewer may not read code. */
async function headOf(ctx: RepoCtx): Promise<Oid | undefined> {
  if (ctx.rights.modeOf('code') < mode.read) return undefined
  return ctx.git.readRef(ctx.repo.git_key, branchRef(ctx.repo.default_branch))
}

/** Files directly inside of folders, in the order of the folders. */
async function filesIn(ctx: RepoCtx, head: Oid, folders: readonly string[]): Promise<TemplateFile[]> {
  const key = ctx.repo.git_key
  const lists = await Promise.all(
    folders.map(async (folder) => {
      const found = await ctx.git.findPath(key, head, folder)
      if (found?.type !== 'tree') return []
      const entries = await ctx.git.readTree(key, found.oid)
      return entries
        .filter((entry) => entry.type === 'blob')
        .map((entry) => ({ path: `${folder}/${entry.name}`, oid: entry.oid }))
    }),
  )
  return lists.flat()
}

async function textOf(ctx: RepoCtx, { oid }: TemplateFile): Promise<string | undefined> {
  const { content } = await ctx.git.readBlob(ctx.repo.git_key, oid, { maxBytes })
  return content?.toString('utf8')
}

/** A template, or undefined when it breaks a rule. */
async function parseTemplate(path: string, text: string): Promise<IssueTemplate | undefined> {
  const { parseFormTemplate, parseMarkdownTemplate, TemplateProblem } = await loadParser()
  try {
    return path.endsWith('.md') ? parseMarkdownTemplate(path, text) : parseFormTemplate(path, text)
  } catch (error) {
    // A broken template is not offered; the validating operation says what is wrong with it.
    if (error instanceof TemplateProblem) return undefined
    throw error
  }
}

/** The templates on the default branch; broken ones are left out. */
export async function getIssueTemplates(ctx: RepoCtx): Promise<IssueTemplate[]> {
  const head = await headOf(ctx)
  if (head === undefined) return []
  const files = (await filesIn(ctx, head, templateFolders)).filter(({ path }) => {
    const name = path.split('/').at(-1) as string
    return /\.(?:md|ya?ml)$/.test(name) && !/^config\.ya?ml$/.test(name)
  })
  const templates = await Promise.all(
    files.slice(0, maxTemplates).map(async (file) => {
      const text = await textOf(ctx, file)
      return text === undefined ? undefined : parseTemplate(file.path, text)
    }),
  )
  return templates.filter((template) => template !== undefined)
}

/** The text of the first configuration there is; `config.yaml` before `config.yml` in each folder. */
async function configText(ctx: RepoCtx): Promise<string | undefined> {
  const head = await headOf(ctx)
  if (head === undefined) return undefined
  const files = new Map((await filesIn(ctx, head, configFolders)).map((file) => [file.path, file]))
  const paths = configFolders.flatMap((folder) => [`${folder}/config.yaml`, `${folder}/config.yml`])
  const file = paths.map((path) => files.get(path)).find((each) => each !== undefined)
  return file && textOf(ctx, file)
}

/** What is wrong with the configuration of templates, if anything, and what holds. */
export async function getIssueConfig(
  ctx: RepoCtx,
): Promise<{ readonly config: IssueConfig; readonly problem: string | undefined }> {
  const { defaultIssueConfig, parseIssueConfig, TemplateProblem } = await loadParser()
  const text = await configText(ctx)
  if (text === undefined) return { config: defaultIssueConfig, problem: undefined }
  try {
    return { config: parseIssueConfig(text), problem: undefined }
  } catch (error) {
    if (!(error instanceof TemplateProblem)) throw error
    return { config: defaultIssueConfig, problem: error.message }
  }
}
