import { parseSizedJson } from '../../http/json-size.ts'
import { BadRequest, TooLarge } from '../../lib/errors.ts'

export type JsonRecord = Readonly<Record<string, unknown>>

/** An object; empty for what is none. */
export const recordOf = (value: unknown): JsonRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonRecord) : {}

export const textIn = (value: unknown): string => (typeof value === 'string' ? value : '')

export const textsIn = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((each): each is string => typeof each === 'string') : []

/** Largest number of values in a description: the largest ones of real packages have a few thousand. */
const maxValues = 50_000

/** Reads JSON inside of an upload. Throws `BadRequest` with `code` for text that is not JSON or has too many values. */
export function parsePackageJson(content: Buffer | string, code = 'package_json_invalid'): unknown {
  try {
    return parseSizedJson(content, maxValues)
  } catch (error) {
    throw new BadRequest(error instanceof TooLarge ? error.message : 'the description is no JSON', code)
  }
}

/** Reads a description in JSON. Throws `BadRequest` for what is no object. */
export function parseJsonRecord(content: Buffer | string): JsonRecord {
  const value = parsePackageJson(content.toString('utf8').replace(/^\uFEFF/, ''))
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new BadRequest('the description is no object', 'package_json_invalid')
  }
  return value as JsonRecord
}
