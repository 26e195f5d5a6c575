import { isPlainMap, plainText, plainTexts, readYaml, type Plain } from './plain-yaml.ts'

/** When a workflow runs, for one kind of what happens: the filters of its entry below `on`. */
export interface Trigger {
  readonly event: string
  /** The filters that are given, by their names. */
  readonly filters: Readonly<Record<string, readonly string[]>>
}

/** An input that whoever dispatches the workflow may give. */
export interface DispatchInput {
  readonly name: string
  readonly description: string
  readonly type: string
  readonly isRequired: boolean
  /** As text; empty for none. */
  readonly fallback: string
}

/** What the token of a job may, as `permissions` says. */
export interface TokenRights {
  readonly isReadOnly: boolean
  /** It may ask for tokens that say who it is to others. */
  readonly mayIdentify: boolean
  /** Whether the file says anything of it. */
  readonly isSaid: boolean
}

/** A job as its file writes it. */
export interface WorkflowJob {
  readonly key: string
  readonly name: string
  readonly needs: readonly string[]
  readonly runsOn: Plain | undefined
  readonly matrix: Plain | undefined
  readonly hasCondition: boolean
  /** As the job says, or else the file. */
  readonly rights: TokenRights
  readonly body: Readonly<Record<string, Plain>>
}

/** What a workflow takes and gives that is called by others. */
export interface WorkflowCall {
  readonly inputs: readonly (Omit<DispatchInput, 'fallback'> & { readonly fallback: Plain | undefined })[]
  /** By their names, as expressions. */
  readonly outputs: Readonly<Record<string, string>>
}

export interface Workflow {
  readonly name: string
  /** `on` as it is written, which runners get too. */
  readonly on: Plain
  readonly triggers: readonly Trigger[]
  readonly inputs: readonly DispatchInput[]
  /** Undefined when it is not to be called. */
  readonly call: WorkflowCall | undefined
  /** The moments of `schedule`. */
  readonly schedules: readonly string[]
  readonly env: Plain | undefined
  readonly defaults: Plain | undefined
  readonly rights: TokenRights
  readonly concurrency: { readonly group: string; readonly cancels: boolean } | undefined
  readonly jobs: readonly WorkflowJob[]
}

/** What came of a file. One whose triggers cannot be told either runs, and fails, whatever happens. */
export type ParsedWorkflow =
  | { readonly ok: true; readonly workflow: Workflow }
  | { readonly ok: false; readonly problem: string; readonly triggers: readonly Trigger[] | undefined }

/** Entries of `on` whose own entries are no filters. */
const unfiltered: ReadonlySet<string> = new Set(['schedule', 'workflow_dispatch', 'workflow_call'])

/** Most jobs that a file may have, before its matrices. */
const maxJobs = 256

class Wrong extends Error {
  constructor(
    message: string,
    readonly path: readonly (string | number)[],
  ) {
    super(message)
  }
}

/** Reads the file of a workflow. */
export function parseWorkflow(text: string): ParsedWorkflow {
  const read = readYaml(text)
  if (!read.ok) return { ok: false, problem: read.problem, triggers: undefined }
  const problemOf = (error: unknown): string => {
    if (!(error instanceof Wrong)) throw error
    const line = read.lineOf(error.path)
    return line === undefined ? error.message : `line ${line}: ${error.message}`
  }
  const file = read.value
  if (!isPlainMap(file)) return { ok: false, problem: 'line 1: a workflow is a map', triggers: undefined }
  let triggers: readonly Trigger[]
  try {
    triggers = triggersOf(file['on'])
  } catch (error) {
    return { ok: false, problem: problemOf(error), triggers: undefined }
  }
  try {
    const on = file['on'] as Plain
    return {
      ok: true,
      workflow: {
        name: plainText(file['name']) ?? '',
        on,
        triggers,
        inputs: inputsOf(on),
        call: callOf(on),
        schedules: schedulesOf(on),
        env: file['env'],
        defaults: file['defaults'],
        rights: rightsOf(file['permissions']),
        concurrency: concurrencyOf(file['concurrency']),
        jobs: jobsOf(file['jobs'], rightsOf(file['permissions'])),
      },
    }
  } catch (error) {
    return { ok: false, problem: problemOf(error), triggers }
  }
}

function triggersOf(on: Plain | undefined): readonly Trigger[] {
  if (on === undefined) throw new Wrong('`on` is missing', [])
  const names = plainTexts(on)
  if (names) return names.map((event) => ({ event, filters: {} }))
  if (!isPlainMap(on)) throw new Wrong('`on` is a name, a list of names, or a map', ['on'])
  return Object.entries(on).map(([event, value]) => {
    if (unfiltered.has(event)) return { event, filters: {} }
    if (value === null || typeof value === 'string') return { event, filters: {} }
    if (!isPlainMap(value)) throw new Wrong(`the filters of ${event} are no map`, ['on', event])
    const filters = Object.entries(value).map(([name, each]) => {
      const texts = plainTexts(each)
      if (!texts) throw new Wrong(`${name} of ${event} is a text or a list of texts`, ['on', event, name])
      return [name, texts] as const
    })
    return { event, filters: Object.fromEntries(filters) }
  })
}

function inputsOf(on: Plain): readonly DispatchInput[] {
  const dispatch = isPlainMap(on) ? on['workflow_dispatch'] : undefined
  const inputs = isPlainMap(dispatch) ? dispatch['inputs'] : undefined
  if (inputs === undefined || inputs === null) return []
  if (!isPlainMap(inputs)) throw new Wrong('the inputs of a dispatch are a map', ['on', 'workflow_dispatch', 'inputs'])
  return Object.entries(inputs).map(([name, input]) => {
    const given = isPlainMap(input) ? input : {}
    return {
      name,
      description: plainText(given['description']) ?? '',
      type: plainText(given['type']) ?? 'string',
      isRequired: given['required'] === true,
      fallback: plainText(given['default']) ?? '',
    }
  })
}

function callOf(on: Plain): WorkflowCall | undefined {
  const isListed = plainTexts(on)?.includes('workflow_call') ?? false
  if (!isListed && !(isPlainMap(on) && 'workflow_call' in on)) return undefined
  const call = isPlainMap(on) && isPlainMap(on['workflow_call']) ? on['workflow_call'] : {}
  const mapOf = (value: Plain | undefined) => Object.entries(isPlainMap(value) ? value : {})
  return {
    inputs: mapOf(call['inputs']).map(([name, input]) => {
      const given = isPlainMap(input) ? input : {}
      return {
        name,
        description: plainText(given['description']) ?? '',
        type: plainText(given['type']) ?? 'string',
        isRequired: given['required'] === true,
        fallback: given['default'],
      }
    }),
    outputs: Object.fromEntries(
      mapOf(call['outputs']).map(([name, output]) => [
        name,
        (isPlainMap(output) ? plainText(output['value']) : undefined) ?? '',
      ]),
    ),
  }
}

function schedulesOf(on: Plain): readonly string[] {
  const entries = isPlainMap(on) ? on['schedule'] : undefined
  if (!Array.isArray(entries)) return []
  return (entries as readonly Plain[]).flatMap((entry) => (isPlainMap(entry) ? (plainText(entry['cron']) ?? []) : []))
}

/**
 * The token of a job may write unless the file says otherwise: `read-all`, an empty map, or no scope of the repository that
 * may write.
 */
function rightsOf(permissions: Plain | undefined): TokenRights {
  if (permissions === undefined || permissions === null) return { isReadOnly: false, mayIdentify: false, isSaid: false }
  if (permissions === 'write-all') return { isReadOnly: false, mayIdentify: true, isSaid: true }
  if (!isPlainMap(permissions)) return { isReadOnly: true, mayIdentify: false, isSaid: true }
  const { [identityScope]: identity, ...others } = permissions
  return { isReadOnly: !Object.values(others).includes('write'), mayIdentify: identity === 'write', isSaid: true }
}

/** Writes nothing here: it is about other servers. */
const identityScope = 'id-token'

function concurrencyOf(value: Plain | undefined): Workflow['concurrency'] {
  const group = plainText(value) ?? (isPlainMap(value) ? plainText(value['group']) : undefined)
  if (!group) return undefined
  return { group, cancels: isPlainMap(value) && value['cancel-in-progress'] === true }
}

function jobsOf(jobs: Plain | undefined, rights: TokenRights): readonly WorkflowJob[] {
  if (!isPlainMap(jobs) || Object.keys(jobs).length === 0) throw new Wrong('a workflow has jobs', ['jobs'])
  const entries = Object.entries(jobs)
  if (entries.length > maxJobs) throw new Wrong(`a workflow has at most ${maxJobs} jobs`, ['jobs'])
  const all = entries.map(([key, body]) => jobOf(key, body, rights))
  for (const { key, needs } of all) {
    const unknown = needs.find((need) => !Object.hasOwn(jobs, need))
    if (unknown !== undefined) throw new Wrong(`the job ${key} needs ${unknown}, which is none`, ['jobs', key, 'needs'])
  }
  checkCycles(all)
  return all
}

function jobOf(key: string, body: Plain, rights: TokenRights): WorkflowJob {
  if (!/^[A-Za-z_][\w-]*$/.test(key) || key.length > 255) throw new Wrong(`${key} is no name for a job`, ['jobs', key])
  if (!isPlainMap(body)) throw new Wrong(`the job ${key} is no map`, ['jobs', key])
  const needs = body['needs'] === undefined || body['needs'] === null ? [] : plainTexts(body['needs'])
  if (!needs) throw new Wrong(`what ${key} needs is a name or a list of names`, ['jobs', key, 'needs'])
  if (body['uses'] === undefined && !Array.isArray(body['steps'])) {
    throw new Wrong(`the job ${key} has no steps`, ['jobs', key])
  }
  const strategy = body['strategy']
  return {
    key,
    name: plainText(body['name']) || key,
    needs: [...new Set(needs)],
    runsOn: body['runs-on'],
    matrix: isPlainMap(strategy) ? (strategy['matrix'] ?? undefined) : undefined,
    hasCondition: plainText(body['if']) !== undefined,
    rights: body['permissions'] === undefined ? rights : rightsOf(body['permissions']),
    body,
  }
}

/** Jobs that wait for each other would wait for ever. */
function checkCycles(jobs: readonly WorkflowJob[]): void {
  const done = new Set<string>()
  for (let left = jobs; left.length > 0;) {
    const ready = left.filter(({ needs }) => needs.every((need) => done.has(need)))
    if (ready.length === 0) {
      const [job] = left as readonly [WorkflowJob]
      throw new Wrong(`the job ${job.key} waits for itself`, ['jobs', job.key, 'needs'])
    }
    for (const { key } of ready) done.add(key)
    left = left.filter(({ key }) => !done.has(key))
  }
}
