import type { Plain } from '../actions/workflows/plain-yaml.ts'

/** A task in the JSON form of the protocol. */
export interface Task {
  readonly id: string
  /** YAML in base64. */
  readonly workflowPayload: string
  readonly context: Readonly<Record<string, Plain>>
  readonly secrets?: Readonly<Record<string, string>>
  readonly vars?: Readonly<Record<string, string>>
  readonly needs?: Readonly<
    Record<string, { readonly result?: string; readonly outputs?: Readonly<Record<string, string>> }>
  >
}

export type Result = 'SUCCESS' | 'FAILURE' | 'CANCELLED' | 'SKIPPED'

/** The reported state of a step. */
export interface StepState {
  readonly id: number
  /** The evaluated name, from its beginning on. */
  name?: string
  result?: Result
  startedAt?: string
  stoppedAt?: string
  logIndex: number
  logLength: number
}

export interface Credentials {
  readonly uuid: string
  readonly token: string
}

/** An error reply of the forge. */
export class ProtocolRefusal extends Error {
  constructor(
    message: string,
    readonly status: number,
  ) {
    super(message)
  }
}

/** The time-out of a call, in milliseconds. */
const callTimeoutMs = 90_000
/** The time-out that a request for work announces. It is shorter, because proxies may delay the reply. */
const fetchTimeoutMs = 60_000

/** A client of the runner protocol in JSON. */
export class ProtocolClient {
  constructor(
    readonly url: string,
    readonly credentials?: Credentials,
  ) {}

  register(facts: {
    readonly name: string
    readonly token: string
    readonly labels: readonly string[]
    readonly version: string
    readonly ephemeral: boolean
  }): Promise<{ readonly runner: Credentials }> {
    return this.#call('Register', facts)
  }

  declare(facts: { readonly version: string; readonly labels: readonly string[] }): Promise<object> {
    return this.#call('Declare', facts)
  }

  /** @param tasksVersion the queue version of the previous reply */
  fetchTask(
    tasksVersion: string,
    signal: AbortSignal,
  ): Promise<{ readonly task?: Task; readonly tasksVersion?: string }> {
    return this.#call('FetchTask', { tasksVersion }, signal, { 'connect-timeout-ms': String(fetchTimeoutMs) })
  }

  /** Reports the state of a task, and Markdown by the ids of steps. Returns its result when it has ended, also by cancellation. */
  async updateTask(
    state: { readonly id: string; readonly result?: Result; readonly steps: readonly StepState[] },
    outputs: Readonly<Record<string, string>> = {},
    summaries: Readonly<Record<string, string>> = {},
  ): Promise<Result | undefined> {
    const steps = state.steps.map(({ id, logIndex, logLength, result, ...rest }) => ({
      ...rest,
      id: String(id),
      logIndex: String(logIndex),
      logLength: String(logLength),
      ...(result ? { result: `RESULT_${result}` } : {}),
    }))
    const sent = { ...state, steps, ...(state.result ? { result: `RESULT_${state.result}` } : {}) }
    const reply = await this.#call<{ readonly state?: { readonly result?: string } }>('UpdateTask', {
      state: sent,
      outputs,
      summaries,
    })
    return reply.state?.result?.replace('RESULT_', '') as Result | undefined
  }

  /** Sends lines of the log. Returns the number of the next expected line. */
  async updateLog(
    taskId: string,
    index: number,
    rows: readonly { readonly time: string; readonly content: string }[],
    noMore: boolean,
  ): Promise<number> {
    const reply = await this.#call<{ readonly ackIndex?: string }>('UpdateLog', {
      taskId,
      index: String(index),
      rows,
      noMore,
    })
    return Number(reply.ackIndex ?? 0)
  }

  async #call<Reply>(
    method: string,
    message: object,
    signal?: AbortSignal,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Reply> {
    const { credentials } = this
    const response = await fetch(`${this.url}/api/actions/runner.v1.RunnerService/${method}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...headers,
        ...(credentials ? { 'x-runner-uuid': credentials.uuid, 'x-runner-token': credentials.token } : {}),
      },
      body: JSON.stringify(message),
      signal: AbortSignal.any([AbortSignal.timeout(callTimeoutMs), ...(signal ? [signal] : [])]),
    })
    const text = await response.text()
    if (response.ok) return JSON.parse(text) as Reply
    throw new ProtocolRefusal(messageOf(text) ?? `${method} failed with status ${response.status}`, response.status)
  }
}

function messageOf(text: string): string | undefined {
  try {
    return (JSON.parse(text) as { readonly message?: string }).message
  } catch {
    // A proxy replied with HTML.
    return undefined
  }
}

/** Returns whether a retry may succeed: the forge is unreachable or overloaded. */
export const isTemporary = (error: unknown): boolean =>
  !(error instanceof ProtocolRefusal) || error.status >= 500 || error.status === 429 || error.status === 408
