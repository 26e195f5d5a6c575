import type { RepoCtx } from '../../access/context.ts'
import { filesIn, headOf, isTemplateName, loadParser, templateReader, textOf } from './template-file.service.ts'
import type { ReadTemplates } from './template-file.service.ts'
import type { IssueConfig, IssueTemplate } from './template.parse.ts'

const folderNames = ['ISSUE_TEMPLATE', 'issue_template']
const below = (folders: readonly string[]) =>
  folders.flatMap((folder) => folderNames.map((name) => `${folder}/${name}`))

const templateFolders = [...folderNames, ...below(['.forgejo', '.gitea', '.github', '.gitlab'])]
const configFolders = below(['.forgejo', '.gitea', '.github'])

const readTemplates = templateReader<IssueTemplate>('issue templates', (parser, path, text) =>
  path.endsWith('.md') ? parser.parseMarkdownTemplate(path, text) : parser.parseFormTemplate(path, text),
)

/** Returns the templates on the default branch, and the invalid ones. */
export async function getIssueTemplates(ctx: RepoCtx): Promise<ReadTemplates<IssueTemplate>> {
  const head = await headOf(ctx)
  if (head === undefined) return { templates: [], broken: [] }
  const files = await filesIn(ctx, head, templateFolders)
  return readTemplates(
    ctx,
    files.filter(({ path }) => isTemplateName(path) && !/\/config\.ya?ml$/.test(path)),
  )
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
