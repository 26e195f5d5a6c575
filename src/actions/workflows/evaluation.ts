import { isPlainMap, plainText, plainTexts, type Plain } from './plain-yaml.ts'
import type { WorkflowJob } from './workflow.parse.ts'

/** The values that expressions can name, by context. */
export type Contexts = Readonly<Record<string, Plain>>

/** The contexts of expressions, and what the expressions of a run use together. */
export interface Evaluation {
  readonly contexts: Contexts
  readonly usage: { expressions: number }
}

/** Most expressions of a run that are evaluated, of usual length: 20 to 60 µs each. */
const maxExpressions = 8000
/** Characters of a usual expression. */
const usualLength = 64

/** Counts the expressions of a text before they are evaluated, by their number and length. */
function count(text: string, { usage }: Evaluation): void {
  usage.expressions += text.split('${{').length - 1 + Math.floor(text.length / usualLength)
  if (usage.expressions > maxExpressions) {
    throw new Error(`the expressions of the run are too many or too long to be evaluated`)
  }
}

/** Deepest nesting of called workflows. */
export const maxCallDepth = 4

/** Most labels in `runs-on`. */
const maxLabels = 32
/** A mistake in the workflow file that planning finds. It fails the job. */
export class PlanProblem extends Error {}

/** A mistake that fails the whole run. */
export class RunProblem extends Error {}

/** Names a job in a problem. */
export const named = (key: string): string => `job "${key}"`

export const hasExpression = (text: string): boolean => text.includes('${{')

/** The expression library is loaded with the first expression: most files have none that the server evaluates. */
export async function filled(text: string, evaluation: Evaluation, subject: string): Promise<string> {
  if (!hasExpression(text)) return text
  const { fillIn } = await import('./expressions.ts')
  return explained(subject, text, () => {
    count(text, evaluation)
    return fillIn(text, evaluation.contexts)
  })
}

export async function evaluated(text: string, evaluation: Evaluation, subject: string): Promise<Plain> {
  if (!hasExpression(text)) return text
  const { valueOf } = await import('./expressions.ts')
  return explained(subject, text, () => {
    count(text, evaluation)
    return valueOf(text, evaluation.contexts)
  })
}

/** Turns an error of an expression into a problem of the file. `subject` names the job or the key. */
function explained<Value>(subject: string, text: string, work: () => Value): Value {
  try {
    return work()
  } catch (error) {
    const reason = Error.isError(error) ? error.message : String(error)
    throw new PlanProblem(`${subject}: expression "${text.slice(0, 100)}": ${reason.slice(0, 300)}`)
  }
}

/** Returns an evaluated name; undefined when it cannot be evaluated. */
export async function evaluateName(template: string, evaluation: Evaluation): Promise<string | undefined> {
  if (!hasExpression(template)) return template
  const { fillIn } = await import('./expressions.ts')
  try {
    count(template, evaluation)
    return fillIn(template, evaluation.contexts)
  } catch {
    // A name that cannot be evaluated does not prevent the job from running.
    return undefined
  }
}

/** The evaluated `runs-on`. */
export interface Labels {
  readonly labels: readonly string[]
  /** `runs-on` of the payload: a single label stays a string. */
  readonly runsOn: Plain | undefined
}

/** Returns the labels of `runs-on`, which is a string, a list, or a map with a group and labels. */
export async function labelsOf(job: WorkflowJob, evaluation: Evaluation): Promise<Labels> {
  const { key, runsOn } = job
  if (runsOn === undefined || runsOn === null) return { labels: [], runsOn: undefined }
  const value = typeof runsOn === 'string' ? await evaluated(runsOn, evaluation, named(key)) : runsOn
  const listed = plainTexts(value)
  if (listed) {
    const labels = await fillAll(listed, evaluation, key)
    return { labels, runsOn: plainText(value) === undefined ? labels : labels[0] }
  }
  if (!isPlainMap(value)) {
    throw new PlanProblem(`${named(key)}: \`runs-on\` must be a label, a list of labels or a map`)
  }
  const own = plainTexts(value['labels'] ?? []) ?? []
  const group = plainText(value['group'])
  const labels = await fillAll(group === undefined ? own : [...own, group], evaluation, key)
  return { labels, runsOn: labels }
}

async function fillAll(texts: readonly string[], evaluation: Evaluation, key: string): Promise<readonly string[]> {
  if (texts.length > maxLabels) throw new PlanProblem(`${named(key)}: \`runs-on\` has more than ${maxLabels} labels`)
  return Promise.all(texts.map((text) => filled(text, evaluation, named(key))))
}
