import { IsOptional, type TSchema } from 'typebox'
import {
  isBytes,
  isJsonAs,
  type CredentialKind,
  type Family,
  type NamedOperation,
  type ReplyShape,
} from './operation.ts'
import { apiErrors } from './error-forms.ts'
import { describedName, describedPath } from './path.ts'
import { refusalsOf } from './refusals.ts'
import { boundHeader } from './reply.ts'
import { bounds } from '../lib/paging.ts'
import { wordTable } from '../lib/word-table.ts'

type Json = { readonly [key: string]: unknown }

export interface ApiInfo {
  readonly title: string
  readonly version: string
  /** Public address of the instance, ending with a slash. */
  readonly siteUrl: string
}

const reasons: Readonly<Record<number, string>> = {
  200: 'success',
  201: 'created',
  202: 'accepted',
  204: 'done, nothing to show',
  206: 'a part of the content',
  301: 'moved: the repository has another name or owner',
  303: 'see the other address',
  304: 'the copy at hand is current',
  307: 'moved: the account has another name',
  308: 'moved: the repository has another name or owner',
  401: 'a sign-in is needed, or the credentials are wrong',
  403: 'not allowed',
  404: 'missing, or not visible to the caller',
  400: 'malformed, or not possible as asked',
  405: 'not possible in this state',
  406: 'not acceptable',
  409: 'conflicts with what exists',
  410: 'gone',
  412: 'the state differs from what the request expects',
  413: 'over quota, or too large',
  415: 'the body is of a type that is not taken',
  416: 'the range is outside of the content',
  422: 'the request is not valid; the message names the first failing field',
  423: 'the repository is archived',
  429: 'too many attempts; `Retry-After` says when to try again',
  503: 'overloaded or not available; `Retry-After` says when to try again',
  501: 'the request limits the change in a way that is not supported; nothing was changed',
}

/** Converts schemas to JSON; named ones become references to components, which it collects. */
class Components {
  readonly schemas: Record<string, unknown> = {}

  constructor(readonly prefix: string) {}

  /** @param top true to write the schema itself instead of a reference */
  of(schema: TSchema, top = false): unknown {
    const { title, ...rest } = schema as TSchema & { title?: string }
    const reference = (schema as { 'x-reference'?: string })['x-reference']
    if (reference !== undefined) return { $ref: `${this.prefix}${reference}` }
    if (title !== undefined && !top) {
      if (!(title in this.schemas)) {
        this.schemas[title] = {}
        this.schemas[title] = this.of(schema, true)
      }
      return { $ref: `${this.prefix}${title}` }
    }
    return this.#spellOut(rest)
  }

  #spellOut(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((each) => this.#inner(each))
    if (typeof value !== 'object' || value === null) return value
    // Without a format, generators take 32 bits, and ids, times and sizes do not fit.
    const sized = 'type' in value && value.type === 'integer' ? { format: 'int64', ...value } : value
    return Object.fromEntries(
      Object.entries(sized)
        .filter(([key]) => !key.startsWith('x-') && !key.startsWith('~'))
        .map(([key, inner]) => {
          if (key === 'properties') return [key, this.#properties(inner as Readonly<Record<string, Json>>)]
          // A map; generators know no patterns.
          if (key === 'patternProperties') return ['additionalProperties', this.#inner(Object.values(inner as Json)[0])]
          return [key, this.#inner(inner)]
        }),
    )
  }

  #properties(properties: Readonly<Record<string, Json>>): Json {
    return Object.fromEntries(
      Object.entries(properties)
        .filter(([, inner]) => inner['x-undescribed'] !== true)
        .map(([key, inner]) => [key, this.#inner(inner)]),
    )
  }

  #inner(value: unknown): unknown {
    if (Array.isArray(value)) return this.#spellOut(value)
    return typeof value === 'object' && value !== null ? this.of(value) : value
  }
}

const apiError: Json = {
  type: 'object',
  required: ['message'],
  properties: {
    message: { type: 'string', description: 'for people' },
    url: { type: 'string', description: 'the documentation' },
    code: { type: 'string', description: 'stable name of the reason' },
    errors: { type: 'array', items: { type: 'string' }, description: 'causes; only of 404' },
  },
  // Over quota names the owner, and a refused topic the topics.
  additionalProperties: true,
}

interface DescribedParam {
  readonly name: string
  readonly where: 'path' | 'query'
  readonly required: boolean
  readonly schema: unknown
}

function paramsOf(operation: NamedOperation, components: Components): DescribedParam[] {
  return [
    ...Object.entries(operation.params).map(([name, schema]): DescribedParam => ({
      name: describedName(operation.path, name),
      where: 'path',
      required: true,
      schema: components.of(schema),
    })),
    ...Object.entries(operation.query).map(([name, schema]): DescribedParam => ({
      name,
      where: 'query',
      required: !IsOptional(schema),
      schema: components.of(schema),
    })),
  ]
}

/** Ids of descriptions where those of the contract clash: typescript-fetch makes `<id>Raw` beside each `<id>`. */
const describedIds = wordTable<string>({
  renderMarkdownRaw: 'renderMarkdownText',
  repoRenderMarkdownRaw: 'repoRenderMarkdownText',
})

const describedId = ({ id }: NamedOperation): string => describedIds[id] ?? id

const tagOf = ({ scope, family }: NamedOperation): string => scope[0] ?? (family === 'api' ? 'miscellaneous' : family)

/** Path prefix of each family; the default is the site root. */
const rootOf: Partial<Readonly<Record<Family, string>>> = { api: 'api/v1', vendor: 'api/service/v1' }

/** Security schemes by kind of credential. */
const securitySchemes: Readonly<Record<CredentialKind, Json>> = {
  token: { type: 'apiKey', in: 'header', name: 'Authorization', description: '`token <access token>`' },
  basic: { type: 'http', scheme: 'basic' },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: 'session',
    description: 'the cookie that signing in on the pages sets',
  },
  oauth2: { type: 'http', scheme: 'bearer', description: 'an access token of OAuth2' },
  client: { type: 'http', scheme: 'basic', description: 'id and secret of an OAuth2 application' },
  job: { type: 'http', scheme: 'bearer', description: 'the token of a workflow job' },
  lfs: { type: 'http', scheme: 'bearer', description: 'a ticket that `git-lfs-authenticate` gave over SSH' },
  runner: { type: 'apiKey', in: 'header', name: 'x-runner-token', description: 'with `x-runner-uuid`' },
  registry: { type: 'http', scheme: 'bearer', description: 'a token that the registry issued' },
  signature: {
    type: 'apiKey',
    in: 'header',
    name: 'Signature',
    description: 'a signature of the request (HTTP Signatures)',
  },
}

/** Returns the families of the operations. */
export const familiesOf = (operations: readonly NamedOperation[]): Family[] => [
  ...new Set(operations.map(({ family }) => family)),
]

/**
 * Returns the OpenAPI 3.1 description of one family of operations. The declarations already contain JSON
 * Schema; this file only assembles it.
 */
export function describeOpenApi(operations: readonly NamedOperation[], info: ApiInfo, family: Family = 'api'): Json {
  const components = new Components('#/components/schemas/')
  const paths: Record<string, Record<string, unknown>> = {}
  // Of operations at one address, the one without a required query is described.
  const described = operations
    .filter((operation) => operation.family === family)
    .toSorted((a, b) => Number(b.whenQuery !== undefined) - Number(a.whenQuery !== undefined))
  for (const operation of described) {
    const path = (paths[describedPath(operation.path)] ??= {})
    path[operation.method.toLowerCase()] = describeOperation3(operation, components)
  }
  const accepted = new Set(described.flatMap(({ accepts }) => accepts))
  return {
    openapi: '3.1.0',
    info: { title: info.title, version: info.version, license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url: `${info.siteUrl}${rootOf[family] ?? ''}`.replace(/\/$/, '') }],
    paths,
    components: {
      schemas: { ...components.schemas, APIError: apiError },
      responses: refusals((status) => (status >= 400 ? apiErrorContent : {})),
      securitySchemes: {
        ...Object.fromEntries([...accepted].map((kind) => [kind, securitySchemes[kind]])),
        sudo: { type: 'apiKey', in: 'header', name: 'Sudo', description: 'account to act as, for administrators' },
        oneTimePassword: { type: 'apiKey', in: 'header', name: 'X-SERVICE-OTP' },
      },
    },
  }
}

function describeOperation3(operation: NamedOperation, components: Components): Json {
  const isOpen = !operation.requires.some(({ refuses }) => refuses.includes(401))
  return {
    operationId: describedId(operation),
    ...(operation.summary === '' ? {} : { summary: operation.summary }),
    tags: [tagOf(operation)],
    ...(operation.deprecated ? { deprecated: true } : {}),
    'x-scopes': operation.scope,
    'x-requires': operation.requires.flatMap((requirement) => requirement.codes),
    ...(operation.whenQuery ? { 'x-query': operation.whenQuery } : {}),
    security: [...operation.accepts.map((kind) => ({ [kind]: [] })), ...(isOpen ? [{}] : [])],
    parameters: paramsOf(operation, components).map(({ name, where, required, schema }) => ({
      name,
      in: where,
      required,
      schema,
    })),
    ...(operation.body === undefined ? {} : { requestBody: requestBody3(operation, components) }),
    responses: {
      ...Object.fromEntries(
        Object.entries(operation.reply).map(([status, shape]) => [
          status,
          {
            description: reasons[Number(status)] ?? 'success',
            ...(isList(operation, status)
              ? {
                  headers: {
                    [boundHeader]: { description: boundDescription, schema: { type: 'string', enum: bounds } },
                  },
                }
              : {}),
            ...contentOf(shape, components),
          },
        ]),
      ),
      ...Object.fromEntries(
        refusalsOf(operation).map((status) => [
          status,
          operation.errors === apiErrors
            ? { $ref: `#/components/responses/${refusalName(status)}` }
            : { description: reasons[status] ?? 'refused' },
        ]),
      ),
    },
  }
}

/** Name of the component of a refusal or redirect. */
const refusalName = (status: number): string => `Status${status}`

/** Returns the components of refusals and redirects. */
const refusals = (contentOf: (status: number) => Json): Json =>
  Object.fromEntries(
    Object.entries(reasons)
      .filter(([status]) => Number(status) >= 300)
      .map(([status, description]) => [refusalName(Number(status)), { description, ...contentOf(Number(status)) }]),
  )

const boundDescription =
  'Sent when a bound limited the answer. total: the list has more entries than X-Total-Count says, and the pages go on. rows: the server looked at a part of the entries; further entries that match are on no page.'

/** Returns whether an answer is a page of a list. */
const isList = (operation: NamedOperation, status: string): boolean => status === '200' && 'page' in operation.query

const apiErrorContent: Json = { content: { 'application/json': { schema: { $ref: '#/components/schemas/APIError' } } } }

const anyBytes: Json = { type: 'string', format: 'binary' }

/** Returns the schema of a body that is described by its media type alone. */
function schemaOfType(mediaType: string): Json {
  if (mediaType.startsWith('text/')) return { type: 'string' }
  return /[/+]json\b/.test(mediaType) ? { type: 'object', additionalProperties: true } : anyBytes
}

/** Bytes of any type are described as a file: generators omit an answer of the type `*\/*`. */
const describedType = (mediaType: string): string => (mediaType === '*/*' ? 'application/octet-stream' : mediaType)

function contentOf(shape: ReplyShape, components: Components): Json {
  if (shape === 'empty') return {}
  if (isBytes(shape)) {
    return {
      content: Object.fromEntries(
        shape.mediaTypes.map((type) => [describedType(type), { schema: schemaOfType(describedType(type)) }]),
      ),
    }
  }
  const [type, schema] = isJsonAs(shape) ? [shape.mediaType, shape.schema] : ['application/json', shape]
  return { content: { [type]: { schema: components.of(schema) } } }
}

function requestBody3({ body }: NamedOperation, components: Components): Json {
  if (!isBytes(body)) return { required: true, content: { 'application/json': { schema: components.of(body ?? {}) } } }
  if (body.mediaTypes.includes('multipart/form-data')) {
    // Generators mix up the types of a body with two forms, so the plain one is described in words.
    const form = { type: 'object', required: ['attachment'], properties: { attachment: anyBytes } }
    return { description: fileDescription, required: true, content: { 'multipart/form-data': { schema: form } } }
  }
  return {
    required: true,
    content: Object.fromEntries(body.mediaTypes.map((type) => [type, { schema: schemaOfType(type) }])),
  }
}

const fileDescription = 'A body of the type application/octet-stream is the file itself; `name` is then its name.'

const isNullable = (schema: Json | undefined): boolean =>
  Array.isArray(schema?.['anyOf']) && schema['anyOf'].some((each: Json) => each['type'] === 'null')

/**
 * Returns the members that always have a value. Swagger 2.0 cannot say that a reference may be null, and a required member
 * of the record's own type is endless in languages without null.
 */
function always({ properties }: Json, required: unknown): unknown {
  if (!Array.isArray(required)) return required
  return required.filter((name: string) => !isNullable((properties as Readonly<Record<string, Json>>)?.[name]))
}

/** Converts JSON Schema 2020 to Swagger 2.0, which has no null type and no unions. */
function narrow(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(narrow)
  if (typeof value !== 'object' || value === null) return value
  const {
    anyOf,
    const: constant,
    ...rest
  } = value as Record<string, unknown> & { anyOf?: readonly Json[]; const?: unknown }
  if (anyOf) {
    const inner = anyOf.filter((each) => each['type'] !== 'null')
    const nullable = inner.length < anyOf.length
    const only = inner.length === 1 ? (narrow(inner[0]) as Json) : {}
    return '$ref' in only ? only : { ...only, ...(nullable ? { 'x-nullable': true } : {}) }
  }
  const narrowed: Record<string, unknown> = Object.fromEntries(
    Object.entries(rest)
      .map(([key, inner]) => [key, key === 'required' ? always(rest, inner) : narrow(inner)] as const)
      .filter(([key, inner]) => key !== 'required' || !Array.isArray(inner) || inner.length > 0),
  )
  return constant === undefined ? narrowed : { ...narrowed, enum: [constant] }
}

/** Returns the parameters of a form with a file, or of a text body. */
const bodyParams2 = (mediaTypes: readonly string[]): readonly Json[] =>
  mediaTypes.includes('multipart/form-data')
    ? [{ name: 'attachment', in: 'formData', type: 'file', description: fileDescription }]
    : [{ name: 'body', in: 'body', schema: { type: 'string' } }]

const consumed = (mediaTypes: readonly string[]): readonly string[] =>
  mediaTypes.includes('multipart/form-data') ? ['multipart/form-data'] : mediaTypes

/** Returns the Swagger 2.0 description of the API for code generators of the family (`/swagger.v1.json`). */
export function describeSwagger2(operations: readonly NamedOperation[], info: ApiInfo): Json {
  const components = new Components('#/definitions/')
  const paths: Record<string, Record<string, unknown>> = {}
  const site = new URL(info.siteUrl)
  for (const operation of operations) {
    if (operation.family !== 'api') continue
    const path = (paths[describedPath(operation.path)] ??= {})
    const body =
      operation.body === undefined
        ? []
        : isBytes(operation.body)
          ? bodyParams2(operation.body.mediaTypes)
          : [{ name: 'body', in: 'body', schema: narrow(components.of(operation.body)) }]
    path[operation.method.toLowerCase()] = {
      operationId: describedId(operation),
      tags: [tagOf(operation)],
      ...(operation.summary === '' ? {} : { summary: operation.summary }),
      ...(operation.deprecated ? { deprecated: true } : {}),
      ...(isBytes(operation.body) ? { consumes: consumed(operation.body.mediaTypes) } : {}),
      parameters: [
        ...paramsOf(operation, components).map(({ name, where, required, schema }) => ({
          name,
          in: where,
          required,
          ...(narrow(schema) as Json),
        })),
        ...body,
      ],
      responses: {
        ...Object.fromEntries(
          Object.entries(operation.reply).map(([status, shape]) => [
            status,
            {
              description: reasons[Number(status)] ?? 'success',
              ...(isList(operation, status)
                ? { headers: { [boundHeader]: { description: boundDescription, type: 'string', enum: bounds } } }
                : {}),
              ...(shape === 'empty'
                ? {}
                : isBytes(shape)
                  ? { schema: { type: 'file' } }
                  : { schema: narrow(components.of(isJsonAs(shape) ? shape.schema : shape)) }),
            },
          ]),
        ),
        ...Object.fromEntries(
          refusalsOf(operation).map((status) => [status, { $ref: `#/responses/${refusalName(status)}` }]),
        ),
      },
    }
  }
  return {
    swagger: '2.0',
    info: { title: info.title, version: info.version, license: { name: 'MIT' } },
    schemes: ['https', 'http'],
    host: site.host,
    basePath: `${site.pathname}api/v1`,
    consumes: ['application/json', 'text/plain'],
    produces: ['application/json', 'text/html'],
    paths,
    definitions: { ...(narrow(components.schemas) as Json), APIError: apiError },
    responses: refusals((status) => (status >= 400 ? { schema: { $ref: '#/definitions/APIError' } } : {})),
    securityDefinitions: {
      AuthorizationHeaderToken: {
        type: 'apiKey',
        in: 'header',
        name: 'Authorization',
        description: '`token <access token>`',
      },
      Token: { type: 'apiKey', in: 'query', name: 'token', description: 'Deprecated: tokens belong into the header.' },
      AccessToken: {
        type: 'apiKey',
        in: 'query',
        name: 'access_token',
        description: 'Deprecated: tokens belong into the header.',
      },
      BasicAuth: { type: 'basic' },
      SudoParam: { type: 'apiKey', in: 'query', name: 'sudo' },
      SudoHeader: { type: 'apiKey', in: 'header', name: 'Sudo' },
      TOTPHeader: { type: 'apiKey', in: 'header', name: 'X-SERVICE-OTP' },
    },
    security: [{ AuthorizationHeaderToken: [] }, { BasicAuth: [] }],
  }
}
