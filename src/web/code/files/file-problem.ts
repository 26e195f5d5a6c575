import type { FileView } from '../../../code/contents/file.service.ts'
import { codeTexts as texts } from '../../languages/texts.ts'
import { inReadersWords } from '../../languages/refusals.ts'

const workflow = /^\.(?:forgejo|gitea|github)\/workflows\/.+\.ya?ml$/
const form = /^(?:\.(?:forgejo|gitea|github|gitlab)\/)?(?:ISSUE_TEMPLATE|issue_template)\/[^/]+\.ya?ml$/
const pullForm =
  /^(?:(?:\.(?:forgejo|gitea|github|gitlab)|docs)\/)?(?:PULL_REQUEST_TEMPLATE|pull_request_template)(?:\/[^/]+)?\.ya?ml$/
const settings = /\/config\.ya?ml$/

/** Returns why a workflow or a form of issues or pull requests has no effect; undefined for valid and other files. */
export async function problemOfFile({ entry, body }: FileView): Promise<string | undefined> {
  if (body.kind !== 'text') return undefined
  if (workflow.test(entry.path)) {
    const { parseWorkflow } = await import('../../../actions/workflows/workflow.parse.ts')
    const parsed = parseWorkflow(body.text)
    return parsed.ok ? undefined : texts.workflowProblem(inReadersWords(parsed.problem))
  }
  const isPullForm = pullForm.test(entry.path)
  if (!isPullForm && (!form.test(entry.path) || settings.test(entry.path))) return undefined
  const { parseFormTemplate, parsePullTemplate, TemplateProblem } =
    await import('../../../issues/templates/template.parse.ts')
  try {
    ;(isPullForm ? parsePullTemplate : parseFormTemplate)(entry.path, body.text)
    return undefined
  } catch (error) {
    if (error instanceof TemplateProblem) return texts.templateProblem(inReadersWords(error.message))
    throw error
  }
}
