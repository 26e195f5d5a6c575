import { parseTime, type Unix } from '../../lib/time.ts'
import { SourceProblem } from './source-problem.ts'
import type { SourceAuthor } from './source.ts'

/** A JSON object of an answer. Members of an unexpected type count as absent. */
export type JsonObject = Readonly<Record<string, unknown>>

/** Largest value of integer columns. */
const maxNumber = 2_147_483_647

/** Longest imported text, in characters; the servers' own limits are lower. */
const maxTextLength = 1_000_000

export function objectOf(value: unknown, what: string): JsonObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new SourceProblem(`the source server sent ${what} in an unknown form`)
  }
  return value as JsonObject
}

/** Returns a member that is an object, or an empty object. */
export function memberOf(object: JsonObject, name: string): JsonObject {
  const value = object[name]
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {}
}

export const listOf = (object: JsonObject, name: string): readonly JsonObject[] =>
  itemsOf(object, name).filter(
    (item): item is JsonObject => typeof item === 'object' && item !== null && !Array.isArray(item),
  )

const itemsOf = (object: JsonObject, name: string): readonly unknown[] => {
  const value = object[name]
  return Array.isArray(value) ? (value as unknown[]) : []
}

export const textsOf = (object: JsonObject, name: string): string[] =>
  itemsOf(object, name).flatMap((item) => (typeof item === 'string' ? [cleanText(item)] : []))

/** Returns a text that each database can store: well-formed and without NUL characters. */
const cleanText = (text: string): string => text.toWellFormed().replaceAll('\0', '\u{fffd}').slice(0, maxTextLength)

/** Returns a member that is a text, or ''. */
export const textOf = (object: JsonObject, name: string): string => {
  const value = object[name]
  return typeof value === 'string' ? cleanText(value) : ''
}

export const flagOf = (object: JsonObject, name: string): boolean => object[name] === true

/** Returns a member that is a non-negative integer, or 0. */
export const numberOf = (object: JsonObject, name: string): number => {
  const value = object[name]
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : 0
}

/** Returns the number of an issue or pull request. */
export function indexOf(object: JsonObject, name: string, what: string): number {
  const value = numberOf(object, name)
  if (value < 1 || value > maxNumber) throw new SourceProblem(`the source server sent ${what} without a number`)
  return value
}

/** Returns a time, or 0 when it is absent or Go's zero time. */
export const timeOf = (object: JsonObject, name: string): Unix => {
  const value = object[name]
  const unix = typeof value === 'string' ? parseTime(value) : undefined
  return unix === undefined || unix < 0 || unix > maxUnix ? 0 : unix
}

/** The year 9999. */
const maxUnix: Unix = 253_402_300_799

/** Returns an author; without an account on the source server, the name that it shows. */
export function authorOf(person: JsonObject, nameMember = 'login'): SourceAuthor {
  const id = numberOf(person, 'id')
  const known = id === 0 ? textOf(person, 'full_name') : ''
  return { id, name: (known || textOf(person, nameMember)).slice(0, 255) || 'Ghost' }
}

/** Returns an object id, or '' when it is invalid. */
export const oidOf = (object: JsonObject, name: string): string => {
  const text = textOf(object, name)
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text) && !/^0+$/.test(text) ? text : ''
}

/** Returns a colour in six digits without `#`; grey when it is invalid. */
export const colorOf = (object: JsonObject, name: string): string => {
  const digits = /^#?([0-9a-f]{6}|[0-9a-f]{3})$/i.exec(textOf(object, name))?.[1]?.toLowerCase() ?? 'ededed'
  return digits.length === 6 ? digits : digits.replaceAll(/./g, '$&$&')
}
