import { isPlainMap, plainText, plainTexts, readYaml, type Plain } from './plain-yaml.ts'

/** One entry of `on`. */
export interface Trigger {
  readonly event: string
  /** The filters of the entry by name. */
  readonly filters: Readonly<Record<string, readonly string[]>>
}

/** An input of `workflow_dispatch`. */
export interface DispatchInput {
  readonly name: string
  readonly description: string
  readonly type: string
  readonly isRequired: boolean
  /** The default as a string; empty for none. */
  readonly fallback: string
  /** The values of an input of the type `choice`. */
  readonly options: readonly string[]
}

/** The rights of a job's token, from `permissions`. */
export interface TokenRights {
  readonly isReadOnly: boolean
  /** Whether it may request OpenID Connect tokens (`id-token: write`). */
  readonly mayIdentify: boolean
  /** Whether the file contains `permissions`. */
  readonly isExplicit: boolean
}

/** A job as the file defines it. */
export interface WorkflowJob {
  readonly key: string
  readonly name: string
  readonly needs: readonly string[]
  readonly runsOn: Plain | undefined
  readonly matrix: Plain | undefined
  readonly hasCondition: boolean
  /** From `permissions` of the job, or else of the file. */
  readonly rights: TokenRights
  readonly body: Readonly<Record<string, Plain>>
}

/** The inputs and outputs of `workflow_call`. */
export interface WorkflowCall {
  readonly inputs: readonly (Omit<DispatchInput, 'fallback' | 'options'> & { readonly fallback: Plain | undefined })[]
  /** Expressions by the name of the output. */
  readonly outputs: Readonly<Record<string, string>>
}

/** `concurrency` of a file or a job. Both members may contain expressions. */
export interface Concurrency {
  readonly group: string
  readonly cancels: string
}

/** `environment` of a job. Both members may contain expressions. */
interface Environment {
  readonly name: string
  /** Empty for none. */
  readonly url: string
}

export interface Workflow {
  readonly name: string
  /** The template of the title of runs. */
  readonly runName: string
  /** `on` as the file writes it, for the runner's payload. */
  readonly on: Plain
  readonly triggers: readonly Trigger[]
  readonly inputs: readonly DispatchInput[]
  /** Undefined when other workflows cannot call it. */
  readonly call: WorkflowCall | undefined
  /** The `cron` entries of `schedule`. */
  readonly schedules: readonly string[]
  readonly env: Plain | undefined
  readonly defaults: Plain | undefined
  readonly rights: TokenRights
  readonly concurrency: Concurrency | undefined
  readonly jobs: readonly WorkflowJob[]
}

/** The result of parsing a file. A file whose triggers cannot be read makes a failed run for each event. */
export type ParsedWorkflow =
  | { readonly ok: true; readonly workflow: Workflow }
  | { readonly ok: false; readonly problem: string; readonly triggers: readonly Trigger[] | undefined }

/** Entries of `on` whose members are not filters. */
const unfiltered: ReadonlySet<string> = new Set(['schedule', 'workflow_dispatch', 'workflow_call'])

/** Most jobs of a file, before matrices are expanded. */
const maxJobs = 256

/** A mistake in the file, with the path of the value. */
class FileProblem extends Error {
  constructor(
    message: string,
    readonly path: readonly (string | number)[],
  ) {
    super(message)
  }
}

/** Parses a workflow file. */
export function parseWorkflow(text: string): ParsedWorkflow {
  const read = readYaml(text)
  if (!read.ok) return { ok: false, problem: read.problem, triggers: undefined }
  const problemOf = (error: unknown): string => {
    if (!(error instanceof FileProblem)) throw error
    const line = read.lineOf(error.path)
    return line === undefined ? error.message : `line ${line}: ${error.message}`
  }
  const file = read.value
  if (!isPlainMap(file)) {
    return { ok: false, problem: 'line 1: a workflow file must be a map with `on` and `jobs`', triggers: undefined }
  }
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
        runName: plainText(file['run-name']) ?? '',
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
  if (on === undefined) throw new FileProblem('`on` is missing; name the events that start the workflow', [])
  const names = plainTexts(on)
  if (names) return names.map((event) => ({ event, filters: {} }))
  if (!isPlainMap(on)) throw new FileProblem('`on` must be an event, a list of events or a map', ['on'])
  return Object.entries(on).map(([event, value]) => {
    if (unfiltered.has(event)) return { event, filters: {} }
    if (value === null || typeof value === 'string') return { event, filters: {} }
    if (!isPlainMap(value)) throw new FileProblem(`\`on.${event}\` must be a map of filters`, ['on', event])
    const filters = Object.entries(value).map(([name, each]) => {
      const texts = plainTexts(each)
      if (!texts) {
        throw new FileProblem(`\`on.${event}.${name}\` must be a string or a list of strings`, ['on', event, name])
      }
      return [name, texts] as const
    })
    return { event, filters: Object.fromEntries(filters) }
  })
}

function inputsOf(on: Plain): readonly DispatchInput[] {
  const dispatch = isPlainMap(on) ? on['workflow_dispatch'] : undefined
  const inputs = isPlainMap(dispatch) ? dispatch['inputs'] : undefined
  if (inputs === undefined || inputs === null) return []
  if (!isPlainMap(inputs)) {
    throw new FileProblem('`on.workflow_dispatch.inputs` must be a map', ['on', 'workflow_dispatch', 'inputs'])
  }
  return Object.entries(inputs).map(([name, input]) => {
    const given = isPlainMap(input) ? input : {}
    return {
      name,
      description: plainText(given['description']) ?? '',
      type: plainText(given['type']) ?? 'string',
      isRequired: given['required'] === true,
      fallback: plainText(given['default']) ?? '',
      options: plainTexts(given['options']) ?? [],
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

/** Returns the rights of `permissions`. Without it the token may write; a map without `write` makes it read-only. */
function rightsOf(permissions: Plain | undefined): TokenRights {
  if (permissions === undefined || permissions === null) {
    return { isReadOnly: false, mayIdentify: false, isExplicit: false }
  }
  if (permissions === 'write-all') return { isReadOnly: false, mayIdentify: true, isExplicit: true }
  if (!isPlainMap(permissions)) return { isReadOnly: true, mayIdentify: false, isExplicit: true }
  // `id-token` grants no access to this server.
  const { 'id-token': identity, ...others } = permissions
  return { isReadOnly: !Object.values(others).includes('write'), mayIdentify: identity === 'write', isExplicit: true }
}

/** Reads `concurrency`, which is a group or a map. Returns undefined without a group. */
export function concurrencyOf(value: Plain | undefined): Concurrency | undefined {
  const group = plainText(value) ?? (isPlainMap(value) ? plainText(value['group']) : undefined)
  if (!group) return undefined
  return { group, cancels: (isPlainMap(value) && plainText(value['cancel-in-progress'])) || '' }
}

/** Reads `environment` of a job, which is a name or a map. Returns undefined without a name. */
export function environmentOf(value: Plain | undefined): Environment | undefined {
  const name = plainText(value) ?? (isPlainMap(value) ? plainText(value['name']) : undefined)
  if (!name) return undefined
  return { name, url: (isPlainMap(value) && plainText(value['url'])) || '' }
}

function jobsOf(jobs: Plain | undefined, rights: TokenRights): readonly WorkflowJob[] {
  if (!isPlainMap(jobs) || Object.keys(jobs).length === 0) {
    throw new FileProblem('`jobs` is missing; a workflow needs at least one job', ['jobs'])
  }
  const entries = Object.entries(jobs)
  if (entries.length > maxJobs) throw new FileProblem(`a workflow has at most ${maxJobs} jobs`, ['jobs'])
  const all = entries.map(([key, body]) => jobOf(key, body, rights))
  for (const { key, needs } of all) {
    const unknown = needs.find((need) => !Object.hasOwn(jobs, need))
    if (unknown !== undefined) {
      throw new FileProblem(`job "${key}" needs job "${unknown}", which does not exist`, ['jobs', key, 'needs'])
    }
  }
  checkCycles(all)
  return all
}

function jobOf(key: string, body: Plain, rights: TokenRights): WorkflowJob {
  const path = ['jobs', key]
  if (!/^[A-Za-z_][\w-]*$/.test(key) || key.length > 255) {
    throw new FileProblem(
      `job "${key.slice(0, 255)}": a job key consists of letters, digits, "_" and "-", begins with a letter or "_", and has at most 255 characters`,
      path,
    )
  }
  if (!isPlainMap(body)) throw new FileProblem(`job "${key}" must be a map`, path)
  const needs = body['needs'] === undefined || body['needs'] === null ? [] : plainTexts(body['needs'])
  if (!needs) throw new FileProblem(`job "${key}": \`needs\` must be a job or a list of jobs`, [...path, 'needs'])
  if (body['uses'] === undefined && !Array.isArray(body['steps'])) {
    throw new FileProblem(`job "${key}" has neither a list of \`steps\` nor \`uses\``, path)
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

/** Refuses jobs that need each other: none of them could start. */
function checkCycles(jobs: readonly WorkflowJob[]): void {
  const done = new Set<string>()
  for (let rest = jobs; rest.length > 0;) {
    const ready = rest.filter(({ needs }) => needs.every((need) => done.has(need)))
    if (ready.length === 0) {
      const [{ key }] = rest as readonly [WorkflowJob]
      throw new FileProblem(`job "${key}": \`needs\` forms a cycle`, ['jobs', key, 'needs'])
    }
    for (const { key } of ready) done.add(key)
    rest = rest.filter(({ key }) => !done.has(key))
  }
}
