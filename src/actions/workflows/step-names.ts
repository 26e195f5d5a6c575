import { evaluateName, hasExpression, type Contexts, type Evaluation } from './evaluation.ts'
import { isPlainMap, plainText, readYaml, type Plain } from './plain-yaml.ts'

/** Longest name of a step, in characters, and most names of a job that are evaluated. */
const maxNameLength = 200
const maxEvaluated = 200

/**
 * Returns the names of the steps of a job, evaluated as far as the server knows the contexts; other names stay as the file
 * writes them. A step without a name is called after what it does.
 * @param payload the workflow that the runner gets
 * @param contexts `github`, `inputs`, `needs`, `vars`
 */
export async function stepNamesOf(payload: string, contexts: Contexts): Promise<readonly string[]> {
  const read = readYaml(payload)
  const file = read.ok && isPlainMap(read.value) ? read.value : {}
  const [job] = Object.values(isPlainMap(file['jobs']) ? file['jobs'] : {})
  if (!isPlainMap(job) || !Array.isArray(job['steps'])) return []
  const templates = (job['steps'] as readonly Plain[]).map(templateOf)
  if (!templates.some(hasExpression)) return templates.map(cut)
  const strategy = isPlainMap(job['strategy']) ? job['strategy'] : {}
  const matrix = Object.entries(isPlainMap(strategy['matrix']) ? strategy['matrix'] : {}).map(([key, value]) => [
    key,
    Array.isArray(value) ? (value as readonly Plain[])[0] : value,
  ])
  const known = { ...contexts, matrix: Object.fromEntries(matrix) as Plain }
  const usage = { expressions: 0 }
  const env = await environmentIn([file['env'], job['env']], { contexts: known, usage })
  let evaluations = 0
  return Promise.all(
    templates.map(async (template) => {
      if (!hasExpression(template) || ++evaluations > maxEvaluated) return cut(template)
      return cut((await evaluateName(template, { contexts: { ...known, env }, usage }))?.trim() || template)
    }),
  )
}

const cut = (name: string): string => name.slice(0, maxNameLength).toWellFormed()

function templateOf(step: Plain): string {
  if (!isPlainMap(step)) return ''
  const name = plainText(step['name'])?.trim()
  if (name) return name
  const [line = ''] = (plainText(step['uses']) ?? plainText(step['run']) ?? '').trim().split('\n', 1)
  return line === '' ? '' : `Run ${line}`
}

/** Returns the variables of the file and the job whose values the server knows. */
async function environmentIn(levels: readonly (Plain | undefined)[], { contexts, usage }: Evaluation): Promise<Plain> {
  const env: Record<string, string> = {}
  for (const level of levels) {
    for (const [name, value] of Object.entries(isPlainMap(level) ? level : {}).slice(0, maxEvaluated)) {
      const text = await evaluateName(plainText(value) ?? '', { contexts: { ...contexts, env }, usage })
      if (text === undefined) delete env[name]
      else env[name] = text
    }
  }
  return env
}
