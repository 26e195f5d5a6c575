import assert from 'node:assert/strict'
import type { Forge } from '../testing/forge.ts'

/** Commits files through the API in one commit, and waits for jobs. An undefined content deletes the file. */
export async function commitFiles(
  forge: Forge,
  repoApi: string,
  files: Readonly<Record<string, string | undefined>>,
  how: { readonly message?: string; readonly branch?: string; readonly newBranch?: string; readonly as?: string } = {},
): Promise<string> {
  const { message = 'change', branch = 'main', newBranch, as = 'alice' } = how
  const operations = Object.entries(files).map(([path, content]) =>
    content === undefined
      ? { operation: 'delete', path }
      : { operation: 'create', path, content: Buffer.from(content).toString('base64') },
  )
  const made = await forge
    .as(as)
    .must('POST', `${repoApi}/contents`, { branch, new_branch: newBranch, message, files: operations })
  await forge.settle()
  return made.json.commit.sha
}

/** Returns a workflow with one job of one step, or with the jobs in YAML. */
export const workflow = (
  on: string,
  jobs = 'build:\n    runs-on: ubuntu-latest\n    steps:\n      - run: echo hello',
): string => `on: ${on}\njobs:\n  ${jobs}\n`

/** Returns the runs of a repository as `event workflow head status`, the oldest first. */
export async function runsOf(forge: Forge, repoApi: string, as = 'alice'): Promise<string[]> {
  const reply = await forge.as(as).get(`${repoApi}/actions/runs?limit=50`)
  assert.equal(reply.status, 200)
  return reply.json.workflow_runs.map(
    (run: Record<string, string>) => `${run['event']} ${run['workflow_id']} ${run['head_branch']} ${run['status']}`,
  )
}

/** A task in the JSON form of the protocol. */
export interface TestTask {
  readonly id: string
  readonly workflowPayload: string
  readonly context: Readonly<Record<string, unknown>> & { readonly token: string; readonly gitea_runtime_token: string }
  readonly secrets: Readonly<Record<string, string>>
  readonly vars?: Readonly<Record<string, string>>
  readonly needs?: Readonly<
    Record<string, { readonly result?: string; readonly outputs?: Readonly<Record<string, string>> }>
  >
}

/** A runner that uses the protocol in JSON and executes nothing. */
export class TestRunner {
  private constructor(
    readonly forge: Forge,
    readonly uuid: string,
    readonly token: string,
  ) {}

  /** Registers a runner with the registration token from an address of the API. */
  static async register(
    forge: Forge,
    address: string,
    labels: readonly string[] = ['ubuntu-latest'],
    more: { readonly as?: string; readonly ephemeral?: boolean } = {},
  ): Promise<TestRunner> {
    const { json } = await forge.as(more.as ?? 'alice').must('GET', `${address}/registration-token`)
    const { ephemeral = false } = more
    const reply = await callRunner(forge, 'Register', { name: 'worker', token: json.token, labels, ephemeral })
    assert.equal(reply.status, 200, reply.text)
    const { runner } = reply.json as { runner: { uuid: string; token: string } }
    return new TestRunner(forge, runner.uuid, runner.token)
  }

  call(method: string, body: object, how: CallOptions = {}): Promise<RunnerReply> {
    const headers = { 'x-runner-uuid': this.uuid, 'x-runner-token': this.token, ...how.headers }
    return callRunner(this.forge, method, body, headers, how.signal)
  }

  /** Requests a task. */
  async fetch(tasksVersion = '0'): Promise<TestTask | undefined> {
    const reply = await this.call('FetchTask', { tasksVersion })
    assert.equal(reply.status, 200, reply.text)
    return (reply.json as { task?: TestTask }).task
  }

  /** Requests a task, and fails when there is none. */
  async must(): Promise<TestTask> {
    const task = await this.fetch()
    assert.ok(task, 'no job waits for the runner')
    return task
  }

  async finish(task: TestTask, result = 'SUCCESS', outputs: Readonly<Record<string, string>> = {}): Promise<void> {
    const reply = await this.call('UpdateTask', { state: { id: task.id, result: `RESULT_${result}` }, outputs })
    assert.equal(reply.status, 200, reply.text)
  }

  async log(task: TestTask, index: number, texts: readonly string[], noMore = false): Promise<RunnerReply> {
    const rows = texts.map((content) => ({ time: '2024-05-01T10:00:00.25Z', content }))
    return this.call('UpdateLog', { taskId: task.id, index: String(index), rows, noMore })
  }
}

interface CallOptions {
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

export interface RunnerReply {
  readonly status: number
  readonly text: string
  readonly json: unknown
}

/** Calls a method of the runner protocol in JSON. */
export async function callRunner(
  forge: Forge,
  method: string,
  body: object,
  headers: Readonly<Record<string, string>> = {},
  signal?: AbortSignal,
): Promise<RunnerReply> {
  const response = await fetch(`${forge.url}/api/actions/runner.v1.RunnerService/${method}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    ...(signal ? { signal } : {}),
    body: JSON.stringify(body),
  })
  const text = await response.text()
  return { status: response.status, text, json: text.startsWith('{') ? (JSON.parse(text) as unknown) : undefined }
}
