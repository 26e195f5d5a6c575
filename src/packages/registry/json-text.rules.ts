import { parseSizedJson } from '../../http/json-size.ts'
import { BadRequest, TooLarge } from '../../lib/errors.ts'

export type JsonRecord = Readonly<Record<string, unknown>>

export const isRecord = (value: unknown): value is JsonRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns an object as it is, and an empty object for any other value. */
export const recordOf = (value: unknown): JsonRecord => (isRecord(value) ? value : {})

export const textIn = (value: unknown): string => (typeof value === 'string' ? value : '')

export const textsIn = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((each): each is string => typeof each === 'string') : []

/** Largest number of values in a description; the largest real ones have a few thousand. */
const maxValues = 50_000

/** Parses JSON from an upload. Throws `BadRequest` with `code` for invalid JSON or too many values. */
export function parsePackageJson(content: Buffer | string, code = 'package_json_invalid'): unknown {
  try {
    return parseSizedJson(content, maxValues)
  } catch (error) {
    throw new BadRequest(error instanceof TooLarge ? error.message : 'the description is not JSON', code)
  }
}

/** Parses a JSON description. Throws `BadRequest` unless it is an object. */
export function parseJsonRecord(content: Buffer | string): JsonRecord {
  const value = parsePackageJson(content.toString('utf8').replace(/^\uFEFF/, ''))
  if (!isRecord(value)) throw new BadRequest('the description is not an object', 'package_json_invalid')
  return value
}
