import { setImmediate } from 'node:timers/promises'
import type { RepoCtx } from '../../access/context.ts'
import { perApplication } from '../../access/per-application.ts'
import { mode } from '../../access/rights.ts'
import type { Oid } from '../../lib/ids.ts'
import { pluck } from '../../lib/pluck.ts'
import { branchRef } from '../../lib/refs.ts'
import type { IssueConfig, IssueTemplate } from './template.parse.ts'

/** Loaded on demand, because the YAML parser adds time and memory to the start. */
const loadParser = () => import('./template.parse.ts')

const folderNames = ['ISSUE_TEMPLATE', 'issue_template']
const below = (folders: readonly string[]) =>
  folders.flatMap((folder) => folderNames.map((name) => `${folder}/${name}`))

const templateFolders = [...folderNames, ...below(['.forgejo', '.gitea', '.github', '.gitlab'])]
const configFolders = below(['.forgejo', '.gitea', '.github'])

/** Limits on the number of templates and on their total size in bytes; further and larger ones are omitted. */
const maxTemplates = 100
const maxBytes = 128 * 1024

/** Parsed templates by path and blob; undefined for an invalid one. Parsing takes 1 to 2 µs for each byte. */
const parsedTemplates = perApplication((caches) =>
  caches.open<string, { readonly template: IssueTemplate | undefined; readonly sizeBytes: number }>('issue templates', {
    // Parsed fields take several times the size of their text.
    sizeOf: ({ sizeBytes }, key) => key.length + 6 * sizeBytes,
  }),
)

interface TemplateFile {
  readonly path: string
  readonly oid: Oid
}

/** Returns the head of the default branch; undefined when it does not exist or the viewer may not read code. */
async function headOf(ctx: RepoCtx): Promise<Oid | undefined> {
  if (ctx.rights.modeOf('code') < mode.read) return undefined
  return ctx.git.readRef(ctx.repo.git_key, branchRef(ctx.repo.default_branch))
}

/** Returns the files directly inside the folders, in the order of the folders. */
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

/** Returns a parsed template; undefined for an invalid one. */
async function readTemplate(ctx: RepoCtx, { path, oid }: TemplateFile): Promise<IssueTemplate | undefined> {
  const parsed = parsedTemplates(ctx)
  const name = `${oid} ${path}`
  const known = parsed.get(name)
  if (known !== undefined) return known.template
  const text = (await textOf(ctx, { path, oid })) ?? ''
  // Requests run between two templates.
  await setImmediate()
  const template = await parseTemplate(path, text)
  parsed.set(name, { template, sizeBytes: text.length })
  return template
}

/** Parses a template; returns undefined for an invalid one. */
async function parseTemplate(path: string, text: string): Promise<IssueTemplate | undefined> {
  const { parseFormTemplate, parseMarkdownTemplate, TemplateProblem } = await loadParser()
  try {
    return path.endsWith('.md') ? parseMarkdownTemplate(path, text) : parseFormTemplate(path, text)
  } catch (error) {
    // The list omits invalid templates; the validating operation reports the fault.
    if (error instanceof TemplateProblem) return undefined
    throw error
  }
}

/** Returns the valid templates on the default branch. */
export async function getIssueTemplates(ctx: RepoCtx): Promise<IssueTemplate[]> {
  const head = await headOf(ctx)
  if (head === undefined) return []
  const files = (await filesIn(ctx, head, templateFolders)).filter(({ path }) => {
    const name = path.split('/').at(-1) as string
    return /\.(?:md|ya?ml)$/.test(name) && !/^config\.ya?ml$/.test(name)
  })
  const first = files.slice(0, maxTemplates)
  const sizes = await ctx.git.blobSizes(ctx.repo.git_key, pluck(first, 'oid'))
  const templates: IssueTemplate[] = []
  let left = maxBytes
  for (const file of first) {
    const size = sizes.get(file.oid) ?? Infinity
    if (size > left) continue
    left -= size
    const template = await readTemplate(ctx, file)
    if (template) templates.push(template)
  }
  return templates
}

/** Returns the text of the first existing configuration; in each folder `config.yaml` precedes `config.yml`. */
async function configText(ctx: RepoCtx): Promise<string | undefined> {
  const head = await headOf(ctx)
  if (head === undefined) return undefined
  const files = new Map((await filesIn(ctx, head, configFolders)).map((file) => [file.path, file]))
  const paths = configFolders.flatMap((folder) => [`${folder}/config.yaml`, `${folder}/config.yml`])
  const file = paths.map((path) => files.get(path)).find((each) => each !== undefined)
  return file && textOf(ctx, file)
}

/** Returns the effective configuration, and the fault of an invalid one. */
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
