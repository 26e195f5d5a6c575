import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import {
  Code,
  ConnectError,
  createConnectRouter,
  createContextKey,
  createContextValues,
  type HandlerContext,
} from '@connectrpc/connect'
import type { UniversalServerResponse } from '@connectrpc/connect/protocol'
import type { Ctx } from '../../access/context.ts'
import type { ActionRunnerRow } from '../../db/tables/action-runners.ts'
import { Refusal } from '../../lib/errors.ts'
import type { TaskId } from '../../lib/ids.ts'
import { appendLog } from '../logs/log.service.ts'
import { declareRunner, recordRunnerContact, registerRunner } from '../runners/runner.service.ts'
import { codeOf } from './connect-errors.ts'
import { pingService, runnerService } from './description.ts'
import { fetchTask } from './fetch-task.service.ts'
import type {
  DeclareRequest,
  FetchTaskRequest,
  RegisterRequest,
  RunnerMessage,
  UpdateLogRequest,
  UpdateTaskRequest,
} from './messages.ts'
import { getTaskOf, updateTaskState } from './update-task.service.ts'
import { wordTable } from '../../lib/word-table.ts'

/** The caller of a method. */
export interface Caller {
  readonly ctx: Ctx
  /** Undefined for `Register` and `Ping`. */
  readonly runner?: ActionRunnerRow
}

const callerKey = createContextKey<Caller | undefined>(undefined)

/** A request of the protocol, independent of the HTTP server. */
export interface RemoteCall {
  readonly path: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Buffer
  readonly signal: AbortSignal
}

/** Largest message after decompression, in bytes: a hundred of the longest log lines. */
const maxMessageBytes = 8 * 1024 * 1024

const compress = promisify(gzip)
const decompress = promisify(gunzip)

const gzipCompression = {
  name: 'gzip',
  compress: async (bytes: Uint8Array) => new Uint8Array(await compress(bytes)),
  async decompress(bytes: Uint8Array, maxBytes: number) {
    if (bytes.length === 0) return new Uint8Array()
    try {
      return new Uint8Array(await decompress(bytes, { maxOutputLength: Math.min(maxBytes, maxMessageBytes) }))
    } catch {
      throw new ConnectError(
        `the message is not valid gzip, or is larger than ${maxMessageBytes} bytes`,
        Code.InvalidArgument,
      )
    }
  },
}

/** The methods by their names in the protocol. */
const methods = wordTable<(caller: Caller, message: never, context: HandlerContext) => Promise<object>>({
  ping: async (_caller, { data }: { data: string }) => ({ data: `Hello, ${data}!` }),
  async register({ ctx }, request: RegisterRequest) {
    const { runner, token } = await registerRunner(ctx, request.token, {
      name: request.name,
      version: request.version,
      // Older runners send two lists of labels.
      labels: request.labels.length > 0 ? request.labels : [...request.agentLabels, ...request.customLabels],
      isEphemeral: request.ephemeral,
    })
    return { runner: messageOf(runner, token) }
  },
  async declare(caller, { version, labels }: DeclareRequest) {
    const { ctx, runner } = requireRunner(caller)
    return { runner: messageOf(await declareRunner(ctx, runner, { version, labels })) }
  },
  async fetchTask(caller, { tasksVersion }: FetchTaskRequest, { signal, timeoutMs }) {
    const { ctx, runner } = requireRunner(caller)
    const known = Number(tasksVersion)
    const { task, version } = await fetchTask(ctx, runner, { known, clientTimeoutMs: timeoutMs(), signal })
    return { ...(task ? { task } : {}), tasksVersion: BigInt(version) }
  },
  async updateTask(caller, request: UpdateTaskRequest) {
    const { ctx, runner } = requireRunner(caller)
    const { taskId, result, sentOutputs } = await updateTaskState(ctx, runner, request)
    return { state: { id: BigInt(taskId), result }, sentOutputs }
  },
  async updateLog(caller, { taskId, index, rows, noMore }: UpdateLogRequest) {
    const { ctx, runner } = requireRunner(caller)
    const { id } = await getTaskOf(ctx, runner, Number(taskId) as TaskId)
    const lines = rows.map(({ time, content }) => ({ seconds: time?.seconds ?? 0n, nanos: time?.nanos ?? 0, content }))
    return { ackIndex: BigInt(await appendLog(ctx, id, Number(index), lines, noMore)) }
  },
})

function requireRunner({ ctx, runner }: Caller): Required<Caller> {
  if (!runner) throw new Error('a method that needs a runner was called without one')
  return { ctx, runner }
}

const messageOf = (runner: ActionRunnerRow, token?: string): RunnerMessage => ({
  id: BigInt(runner.id),
  uuid: runner.uuid,
  ...(token === undefined ? {} : { token }),
  name: runner.name,
  version: runner.version,
  labels: JSON.parse(runner.labels) as string[],
  ephemeral: runner.is_ephemeral,
})

/** An error of a method that is not a refusal. It belongs into the server's log, and the protocol does not carry it. */
interface CallOutcome {
  defect?: unknown
}

const outcomeKey = createContextKey<CallOutcome>({})

const codeNames = new Map(
  Object.entries(Code).flatMap(([name, code]) =>
    typeof code === 'number' ? [[name.replaceAll(/(?<!^)([A-Z])/g, '_$1').toLowerCase(), code] as const] : [],
  ),
)

function createRouter() {
  const router = createConnectRouter({
    grpc: false,
    readMaxBytes: maxMessageBytes,
    acceptCompression: [gzipCompression],
  })
  const implementation = Object.fromEntries(
    Object.entries(methods).map(([name, method]) => [
      name,
      async (message: never, context: HandlerContext) => {
        const { values } = context
        const caller = values.get(callerKey)
        if (!caller) throw new Error('a call has no caller')
        try {
          if (caller.runner) await recordRunnerContact(caller.ctx, caller.runner, name.startsWith('update'))
          return await method(caller, message, context)
        } catch (error) {
          if (error instanceof Refusal) throw new ConnectError(error.message, codeNames.get(codeOf(error.status)))
          values.get(outcomeKey).defect = error
          throw error
        }
      },
    ]),
  )
  router.service(pingService, implementation as never)
  router.service(runnerService, implementation as never)
  return new Map(router.handlers.map((handler) => [handler.requestPath, handler]))
}

/** Returns whether a header belongs to the protocol: the encoding of the message, and the time-out. */
const isProtocolHeader = (name: string): boolean =>
  /^(?:content-(?:type|encoding|length)|accept-|connect-|grpc-|x-grpc)/.test(name)

let router: ReturnType<typeof createRouter> | undefined

/** Answers a call of the protocol in the encoding of its message. Rethrows errors that are not refusals. */
export async function answerCall(call: RemoteCall, caller: Caller): Promise<UniversalServerResponse> {
  const outcome: CallOutcome = {}
  router ??= createRouter()
  const handler = router.get(call.path)
  if (!handler) return { status: 404 }
  const header = new Headers()
  for (const [name, value] of Object.entries(call.headers)) {
    if (typeof value === 'string' && isProtocolHeader(name)) header.set(name, value)
  }
  async function* bytes(): AsyncGenerator<Uint8Array> {
    yield call.body
  }
  const response = await handler({
    httpVersion: '1.1',
    url: `http://localhost${call.path}`,
    method: 'POST',
    header,
    body: bytes(),
    signal: call.signal,
    contextValues: createContextValues().set(callerKey, caller).set(outcomeKey, outcome),
  })
  if (outcome.defect !== undefined) throw outcome.defect
  return response
}
