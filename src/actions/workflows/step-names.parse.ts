import { isPlainMap, plainText, readYaml, type Plain } from './plain-yaml.ts'

const maxNameLength = 200

/** Returns the names of the steps of a job as its file writes them, from the workflow that the runner gets. */
export function stepNamesOf(payload: string): readonly string[] {
  const read = readYaml(payload)
  const jobs = read.ok && isPlainMap(read.value) ? read.value['jobs'] : undefined
  const [job] = isPlainMap(jobs) ? Object.values(jobs) : []
  const steps = isPlainMap(job) ? job['steps'] : undefined
  return Array.isArray(steps) ? (steps as readonly Plain[]).map(nameOf) : []
}

/** A step without a name is called after what it does. */
function nameOf(step: Plain): string {
  if (!isPlainMap(step)) return ''
  const [line = ''] = (plainText(step['run']) ?? '').trim().split('\n', 1)
  const own = plainText(step['name']) || plainText(step['uses'])
  return (own || (line === '' ? '' : `Run ${line}`)).slice(0, maxNameLength)
}
