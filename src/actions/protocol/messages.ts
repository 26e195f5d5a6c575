import type { JsonObject } from '@bufbuild/protobuf'

/** The decoded messages of the runner protocol. 64-bit integers are bigints, and results are numbers. */

export interface Timestamp {
  readonly seconds: bigint
  readonly nanos: number
}

export interface RegisterRequest {
  readonly name: string
  readonly token: string
  readonly agentLabels: readonly string[]
  readonly customLabels: readonly string[]
  readonly version: string
  readonly labels: readonly string[]
  readonly ephemeral: boolean
}

export interface RunnerMessage {
  readonly id: bigint
  readonly uuid: string
  readonly token?: string
  readonly name: string
  readonly version: string
  readonly labels: readonly string[]
  readonly ephemeral: boolean
}

export interface DeclareRequest {
  readonly version: string
  readonly labels: readonly string[]
}

export interface FetchTaskRequest {
  readonly tasksVersion: bigint
}

export interface TaskMessage {
  readonly id: bigint
  readonly workflowPayload: Uint8Array
  readonly context: JsonObject
  readonly secrets: Readonly<Record<string, string>>
  readonly needs: Readonly<
    Record<string, { readonly outputs: Readonly<Record<string, string>>; readonly result: number }>
  >
  readonly vars: Readonly<Record<string, string>>
}

export interface StepStateMessage {
  readonly id: bigint
  readonly result: number
  readonly startedAt?: Timestamp
  readonly stoppedAt?: Timestamp
  readonly logIndex: bigint
  readonly logLength: bigint
  /** The evaluated name. Only runners of this project send it. */
  readonly name?: string
}

export interface UpdateTaskRequest {
  readonly state?: {
    readonly id: bigint
    readonly result: number
    readonly startedAt?: Timestamp
    readonly stoppedAt?: Timestamp
    readonly steps: readonly StepStateMessage[]
  }
  readonly outputs: Readonly<Record<string, string>>
  /** Markdown by the ids of steps. Only runners of this project send it. */
  readonly summaries?: Readonly<Record<string, string>>
}

export interface UpdateLogRequest {
  readonly taskId: bigint
  readonly index: bigint
  readonly rows: readonly { readonly time?: Timestamp; readonly content: string }[]
  readonly noMore: boolean
}
