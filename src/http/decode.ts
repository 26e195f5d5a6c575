import type { Readable } from 'node:stream'
import type { TProperties, TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'
import { Invalid, NotFound, bodyTooLarge, TooLarge, UnsupportedMediaType } from '../lib/errors.ts'
import { readForm } from './form.ts'
import { JsonSize } from './json-size.ts'
import { tidyMediaType } from './media-type.ts'

type JsonSchema = TSchema & {
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly items?: JsonSchema
  readonly anyOf?: readonly JsonSchema[]
  readonly enum?: readonly string[]
  readonly additionalProperties?: boolean
  readonly 'x-comma-list'?: boolean
  readonly 'x-ignored'?: readonly string[]
  readonly 'x-ignored-when-empty'?: readonly string[]
}

/** Maximum length of a path parameter, in characters. */
const maxParamLength = 4096

/** Decodes path parameters by type; an invalid number is 404. */
export function decodeParams(
  schemas: TProperties,
  raw: Readonly<Record<string, string>>,
): Record<string, string | number> {
  const params: Record<string, string | number> = {}
  for (const name in raw) {
    const text = raw[name] as string
    if (text.length > maxParamLength || text.includes('\0')) throw new NotFound()
    params[name] = (schemas[name] as JsonSchema).type === 'integer' ? decodePathNumber(text) : text
  }
  return params
}

function decodePathNumber(text: string): number {
  const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN
  if (!Number.isSafeInteger(value)) throw new NotFound()
  return value
}

const trueWords = new Set(['1', 't', 'T', 'true', 'TRUE', 'True'])
const falseWords = new Set(['0', 'f', 'F', 'false', 'FALSE', 'False'])

/** Decodes declared query parameters by type; an invalid value counts as absent (observed). */
export function decodeQuery(properties: TProperties, sent: URLSearchParams): Record<string, unknown> {
  const query: Record<string, unknown> = {}
  for (const name in properties) {
    if (!sent.has(name)) continue
    const value = decodeQueryValue(properties[name] as JsonSchema, sent.getAll(name))
    if (value !== undefined) query[name] = value
  }
  return query
}

function decodeQueryValue(schema: JsonSchema, texts: readonly string[]): unknown {
  const text = texts[0] as string
  switch (schema.type) {
    case 'integer':
      return /^-?\d{1,15}$/.test(text.trim()) ? Number(text) : undefined
    case 'number':
      return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : undefined
    case 'boolean':
      return trueWords.has(text) ? true : falseWords.has(text) ? false : undefined
    case 'array': {
      const parts = schema['x-comma-list'] ? texts.flatMap((each) => each.split(',')) : texts
      const items = parts
        .filter((part) => part !== '')
        .map((part) => decodeQueryValue(schema.items as JsonSchema, [part]))
      return items.filter((item) => item !== undefined)
    }
    case undefined:
    default:
      return schema.enum && !schema.enum.includes(text) ? undefined : text
  }
}

/** A body to buffer, and its limits. */
export interface BodySource {
  readonly content: Readable
  readonly contentType: string | undefined
  readonly maxBytes: number
  /** Receives the size of each chunk; may throw. */
  readonly held: (bytes: number) => void
}

/** Reads a body of at most `maxBytes`; refuses a longer one early. */
export async function readBytes(
  body: Readable,
  maxBytes: number,
  look: (chunk: Buffer) => void = () => {},
): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  // The request stays open: the refusal uses the same connection.
  for await (const chunk of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > maxBytes) throw bodyTooLarge(maxBytes)
    look(chunk)
    chunks.push(chunk)
  }
  return chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)
}

/** Maximum size of a URL-encoded form; files come as JSON or multipart. */
const maxFormBytes = 1024 * 1024
/** Maximum number of fields of such a form. */
const maxFormFields = 1000

const utf8 = new TextDecoder('utf-8', { fatal: true })

function decodeText(bytes: Buffer): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw new Invalid('[]: the body is not valid UTF-8', 'invalid_utf8')
  }
}

/** Parses the first JSON document of a text and ignores the rest (observed). */
function parseFirstJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    const end = /after JSON at position (\d+)/.exec((error as Error).message)
    if (end) return JSON.parse(text.slice(0, Number(end[1])))
    throw new Invalid(`[]: ${text.trim() === '' ? 'the body is empty' : 'the body is not valid JSON'}`, 'invalid_json')
  }
}

/** A body before validation: a JSON value, or form fields. */
async function readFields(
  { content, held, maxBytes }: BodySource,
  contentType: string,
  query?: URLSearchParams,
): Promise<unknown> {
  const [type = '', ...parameters] = contentType.split(';').map((part) => part.trim())
  const charset = parameters
    .find((part) => /^charset=/i.test(part))
    ?.slice(8)
    .replaceAll('"', '')
    .toLowerCase()
  if (charset && !['utf-8', 'utf8', 'us-ascii', 'ascii'].includes(charset)) {
    throw new UnsupportedMediaType(`the character set ${charset} is not supported; send UTF-8`)
  }
  if (/^(application|text)\/([\w.-]+\+)?json$/i.test(type)) {
    const json = new JsonSize()
    const bytes = await readBytes(content, maxBytes, (chunk) => {
      held(chunk.length)
      json.add(chunk)
    })
    return parseFirstJson(decodeText(bytes))
  }
  if (/^multipart\/form-data$/i.test(type)) return readForm(content, contentType, maxBytes, held)
  // Every other type counts as a form, as in the family.
  const bytes = await readBytes(content, Math.min(maxBytes, maxFormBytes), (chunk) => held(chunk.length))
  return { ...Object.fromEntries(query ?? []), ...listed(formFields(decodeText(bytes), type)) }
}

/** Returns fields by name; a repeated one is a list. */
function listed(fields: URLSearchParams): Readonly<Record<string, string | readonly string[]>> {
  const names = new Set(fields.keys())
  return Object.fromEntries(
    [...names].map((name) => {
      const values = fields.getAll(name)
      return [name, values.length === 1 ? (values[0] as string) : values]
    }),
  )
}

function formFields(text: string, type: string): URLSearchParams {
  if (!/^application\/x-www-form-urlencoded$/i.test(type)) return new URLSearchParams()
  const count = text.split('&', maxFormFields + 1).length
  if (count > maxFormFields) throw new TooLarge(`a form has at most ${maxFormFields} fields`)
  return new URLSearchParams(text)
}

/** Returns whether a member of a request asks for nothing. */
const isEmpty = (value: unknown): boolean =>
  value === null || value === false || value === 0 || value === '' || (Array.isArray(value) && value.length === 0)

/** Throws Invalid for a member that a closed schema (`closedObject`) does not have. */
function refuseUnknown(schema: JsonSchema, value: object): void {
  const known = [...Object.keys(schema.properties ?? {}), ...(schema['x-ignored'] ?? [])]
  const names = new Set(known.map((name) => name.toLowerCase()))
  for (const [field, member] of Object.entries(value)) {
    const mayBeEmpty = schema['x-ignored-when-empty']?.includes(field.toLowerCase()) ?? false
    if (member === null || names.has(field.toLowerCase()) || (mayBeEmpty && isEmpty(member))) continue
    throw new Invalid(`[${field}]: is not supported here; the request changed nothing`, 'unknown_field', { field })
  }
}

/**
 * A sent value in the shape of its schema: members are found whatever their letter case, unknown ones are dropped unless the
 * schema is closed, null counts as absent, and texts of a form become what the schema says. What does not fit is left for
 * the validation.
 */
function shape(schema: JsonSchema, value: unknown, fromForm: boolean): unknown {
  const { properties } = schema
  if (properties && typeof value === 'object' && value !== null && !Array.isArray(value)) {
    if (schema.additionalProperties === false) refuseUnknown(schema, value)
    const sent = new Map(Object.entries(value).map(([key, member]) => [key.toLowerCase(), member]))
    for (const [key, member] of Object.entries(value)) {
      if (Object.hasOwn(properties, key)) sent.set(key.toLowerCase(), member)
    }
    const shaped: Record<string, unknown> = {}
    for (const name in properties) {
      const member = sent.get(name.toLowerCase())
      if (member !== undefined && member !== null) {
        shaped[name] = shape(properties[name] as JsonSchema, member, fromForm)
      }
    }
    return shaped
  }
  if (schema.items && Array.isArray(value)) {
    return value.map((item) => shape(schema.items as JsonSchema, item, fromForm))
  }
  // A form may repeat a field that is no list; its last value counts.
  if (fromForm && Array.isArray(value)) return shape(schema, value.at(-1), fromForm)
  if (schema.anyOf) {
    const inner = schema.anyOf.find((each) => each.type !== 'null')
    return inner ? shape(inner, value, fromForm) : value
  }
  return fromForm && typeof value === 'string' ? fromText(schema, value) : value
}

function fromText(schema: JsonSchema, text: string): unknown {
  if (schema.type === 'array') {
    return text === '' ? [] : text.split(',').map((part) => fromText(schema.items as JsonSchema, part))
  }
  if (schema.type === 'boolean') return text === 'on' ? true : (decodeQueryValue(schema, [text]) ?? text)
  if (schema.type === 'integer' || schema.type === 'number') return decodeQueryValue(schema, [text]) ?? text
  return text
}

const validators = new WeakMap<object, Validator>()

/** Returns the compiled schema; compiled on first use, to keep the start fast. */
export function validatorOf(schema: TSchema): Validator {
  let validator = validators.get(schema)
  if (!validator) {
    validator = Compile(schema)
    validators.set(schema, validator)
  }
  return validator
}

/** Returns the first failing field and the reason; undefined for a valid value. */
export function firstProblem(schema: TSchema, value: unknown): { field: string; reason: string } | undefined {
  const validator = validatorOf(schema)
  if (validator.Check(value)) return undefined
  const [error] = validator.Errors(value)
  const missing = (error?.params as { requiredProperties?: readonly string[] } | undefined)?.requiredProperties?.[0]
  const path = error?.instancePath.slice(1).replaceAll('/', '.') ?? ''
  const field = missing === undefined ? path : path === '' ? missing : `${path}.${missing}`
  return { field, reason: missing === undefined ? (error?.message ?? 'does not fit') : 'is required' }
}

/** Values that the databases cannot store: texts with a zero byte (PostgreSQL), and unsafe integers. */
interface Unkept {
  readonly path: string
  readonly code: 'zero_byte' | 'number_out_of_range'
}

const unkeptWords = { zero_byte: 'holds a zero byte', number_out_of_range: 'is out of range' } as const

/** Returns the first such value, or undefined. */
function unkeptIn(value: unknown, path = ''): Unkept | undefined {
  if (typeof value === 'string') return value.includes('\0') ? { path, code: 'zero_byte' } : undefined
  if (typeof value === 'number') {
    return Number.isInteger(value) && !Number.isSafeInteger(value) ? { path, code: 'number_out_of_range' } : undefined
  }
  if (typeof value !== 'object' || value === null) return undefined
  for (const [key, member] of Object.entries(value)) {
    if (key.includes('\0')) return { path, code: 'zero_byte' }
    const found = unkeptIn(member, path === '' ? key : `${path}.${key}`)
    if (found !== undefined) return found
  }
  return undefined
}

/**
 * Reads and checks a body. Anything wrong with it is 422 with the name of the first failing field.
 * @param query fields that count where the body is a form, or missing, and does not give them
 */
export async function decodeBody(schema: TSchema, source: BodySource, query?: URLSearchParams): Promise<unknown> {
  const type = tidyMediaType(source.contentType ?? 'application/x-www-form-urlencoded')
  const sent = await readFields(source, type, query)
  const value = shape(schema, sent, !/json/i.test(type.split(';')[0] as string))
  const problem = firstProblem(schema, value)
  if (problem) throw new Invalid(`[${problem.field}]: ${problem.reason}`, 'invalid', { field: problem.field })
  const unkept = unkeptIn(value)
  if (unkept) throw new Invalid(`[${unkept.path}]: ${unkeptWords[unkept.code]}`, unkept.code, { field: unkept.path })
  return value
}
