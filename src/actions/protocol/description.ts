import { create, createFileRegistry, type DescService } from '@bufbuild/protobuf'
import {
  FieldDescriptorProto_Label as Label,
  FieldDescriptorProto_Type as Type,
  FileDescriptorProtoSchema,
  file_google_protobuf_struct,
  file_google_protobuf_timestamp,
} from '@bufbuild/protobuf/wkt'
import { wordTable } from '../../lib/word-table.ts'

/**
 * The messages of the runner protocol. Field names, numbers and types are the wire format. `repeated x` is a list, `map x`
 * a map with string keys, and a type with a leading dot another message.
 */
const runnerMessages = {
  RegisterRequest: {
    name: [1, 'string'],
    token: [2, 'string'],
    agent_labels: [3, 'repeated string'],
    custom_labels: [4, 'repeated string'],
    version: [5, 'string'],
    labels: [6, 'repeated string'],
    ephemeral: [7, 'bool'],
  },
  RegisterResponse: { runner: [1, '.runner.v1.Runner'] },
  DeclareRequest: { version: [1, 'string'], labels: [2, 'repeated string'] },
  DeclareResponse: { runner: [1, '.runner.v1.Runner'] },
  FetchTaskRequest: { tasks_version: [1, 'int64'] },
  FetchTaskResponse: { task: [1, '.runner.v1.Task'], tasks_version: [2, 'int64'] },
  UpdateTaskRequest: {
    state: [1, '.runner.v1.TaskState'],
    outputs: [2, 'map string'],
    // Numbers from 1000 on are of this project; other servers skip them.
    summaries: [1000, 'map string'],
  },
  UpdateTaskResponse: { state: [1, '.runner.v1.TaskState'], sent_outputs: [2, 'repeated string'] },
  UpdateLogRequest: {
    task_id: [1, 'int64'],
    index: [2, 'int64'],
    rows: [3, 'repeated .runner.v1.LogRow'],
    no_more: [4, 'bool'],
  },
  UpdateLogResponse: { ack_index: [1, 'int64'] },
  Runner: {
    id: [1, 'int64'],
    uuid: [2, 'string'],
    token: [3, 'string'],
    name: [4, 'string'],
    status: [5, 'enum RunnerStatus'],
    agent_labels: [6, 'repeated string'],
    custom_labels: [7, 'repeated string'],
    version: [8, 'string'],
    labels: [9, 'repeated string'],
    ephemeral: [10, 'bool'],
  },
  Task: {
    id: [1, 'int64'],
    workflow_payload: [2, 'bytes'],
    context: [3, '.google.protobuf.Struct'],
    secrets: [4, 'map string'],
    machine: [5, 'string'],
    needs: [6, 'map .runner.v1.TaskNeed'],
    vars: [7, 'map string'],
  },
  TaskNeed: { outputs: [1, 'map string'], result: [2, 'enum Result'] },
  TaskState: {
    id: [1, 'int64'],
    result: [2, 'enum Result'],
    started_at: [3, '.google.protobuf.Timestamp'],
    stopped_at: [4, '.google.protobuf.Timestamp'],
    steps: [5, 'repeated .runner.v1.StepState'],
  },
  StepState: {
    id: [1, 'int64'],
    result: [2, 'enum Result'],
    started_at: [3, '.google.protobuf.Timestamp'],
    stopped_at: [4, '.google.protobuf.Timestamp'],
    log_index: [5, 'int64'],
    log_length: [6, 'int64'],
    name: [1000, 'string'],
  },
  LogRow: { time: [1, '.google.protobuf.Timestamp'], content: [2, 'string'] },
} as const satisfies Messages

type Messages = Readonly<Record<string, Readonly<Record<string, readonly [number, string]>>>>

const scalars = wordTable<Type>({
  string: Type.STRING,
  bool: Type.BOOL,
  bytes: Type.BYTES,
  int64: Type.INT64,
})

const camel = (name: string): string => name.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase())
const entryName = (name: string): string => `${camel(`_${name}`)}Entry`

/** Returns the type of a field without its label. */
function fieldType(kind: string, scope: string) {
  const scalar = scalars[kind]
  if (scalar !== undefined) return { type: scalar }
  if (kind.startsWith('enum ')) return { type: Type.ENUM, typeName: `.${scope}.${kind.slice(5)}` }
  return { type: Type.MESSAGE, typeName: kind }
}

function message(name: string, fields: Messages[string], scope: string): object {
  const entries = Object.entries(fields)
  const maps = entries.filter(([, [, kind]]) => kind.startsWith('map '))
  return {
    name,
    field: entries.map(([field, [number, kind]]) => {
      const isMap = kind.startsWith('map ')
      const isList = kind.startsWith('repeated ')
      const own = isMap
        ? { type: Type.MESSAGE, typeName: `.${scope}.${name}.${entryName(field)}` }
        : fieldType(isList ? kind.slice(9) : kind, scope)
      return {
        name: field,
        number,
        jsonName: camel(field),
        label: isMap || isList ? Label.REPEATED : Label.OPTIONAL,
        ...own,
      }
    }),
    nestedType: maps.map(([field, [, kind]]) => ({
      name: entryName(field),
      options: { mapEntry: true },
      field: [
        { name: 'key', number: 1, jsonName: 'key', label: Label.OPTIONAL, type: Type.STRING },
        { name: 'value', number: 2, jsonName: 'value', label: Label.OPTIONAL, ...fieldType(kind.slice(4), scope) },
      ],
    })),
  }
}

const enumeration = (name: string, values: readonly string[]): object => ({
  name,
  value: values.map((value, number) => ({ name: value, number })),
})

interface FileParts {
  readonly scope: string
  readonly messages: Messages
  readonly enums?: readonly object[]
  readonly service: string
  readonly methods: readonly string[]
}

function describe({ scope, messages, enums = [], service, methods }: FileParts): DescService {
  const file = create(FileDescriptorProtoSchema, {
    name: `${scope.replaceAll('.', '/')}.proto`,
    package: scope,
    syntax: 'proto3',
    dependency: ['google/protobuf/struct.proto', 'google/protobuf/timestamp.proto'],
    messageType: Object.entries(messages).map(([name, fields]) => message(name, fields, scope)),
    enumType: [...enums],
    service: [
      {
        name: service,
        method: methods.map((name) => ({
          name,
          inputType: `.${scope}.${name}Request`,
          outputType: `.${scope}.${name}Response`,
        })),
      },
    ],
  })
  const known = new Map(
    [file_google_protobuf_struct, file_google_protobuf_timestamp].map((each) => [each.proto.name, each]),
  )
  const found = createFileRegistry(file, (name) => known.get(name)).getService(`${scope}.${service}`)
  if (!found) throw new Error(`the protobuf description lacks the service ${service}`)
  return found
}

export const runnerService = describe({
  scope: 'runner.v1',
  messages: runnerMessages,
  enums: [
    enumeration('RunnerStatus', [
      'RUNNER_STATUS_UNSPECIFIED',
      'RUNNER_STATUS_IDLE',
      'RUNNER_STATUS_ACTIVE',
      'RUNNER_STATUS_OFFLINE',
    ]),
    enumeration('Result', [
      'RESULT_UNSPECIFIED',
      'RESULT_SUCCESS',
      'RESULT_FAILURE',
      'RESULT_CANCELLED',
      'RESULT_SKIPPED',
    ]),
  ],
  service: 'RunnerService',
  methods: ['Register', 'Declare', 'FetchTask', 'UpdateTask', 'UpdateLog'],
})

export const pingService = describe({
  scope: 'ping.v1',
  messages: { PingRequest: { data: [1, 'string'] }, PingResponse: { data: [1, 'string'] } },
  service: 'PingService',
  methods: ['Ping'],
})
