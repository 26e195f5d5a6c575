import { BadRequest } from '../lib/errors.ts'

export type JsonRecord = Readonly<Record<string, unknown>>

/** An object; empty for what is none. */
export const recordOf = (value: unknown): JsonRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonRecord) : {}

export const textIn = (value: unknown): string => (typeof value === 'string' ? value : '')

export const textsIn = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((each): each is string => typeof each === 'string') : []

/** Reads a description in JSON. Throws `BadRequest` for what is no object. */
export function parseJsonRecord(content: Buffer | string): JsonRecord {
  let value: unknown
  try {
    value = JSON.parse(content.toString('utf8').replace(/^\uFEFF/, ''))
  } catch {
    throw new BadRequest('the description is no JSON', 'package_json_invalid')
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new BadRequest('the description is no object', 'package_json_invalid')
  }
  return value as JsonRecord
}
