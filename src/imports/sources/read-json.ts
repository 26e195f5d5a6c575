import { parseTime, type Unix } from '../../lib/time.ts'
import { SourceProblem } from './source-problem.ts'
import type { SourceAuthor } from './source.ts'

/** An object of an answer, whose members are looked at one by one: whatever is of another kind than expected is none. */
export type JsonObject = Readonly<Record<string, unknown>>

/** Largest number that the columns of numbers hold. */
const maxNumber = 2_147_483_647

/** Longest text that is taken over, in characters; larger than any that a server of these kinds keeps. */
const maxTextLength = 1_000_000

export function objectOf(value: unknown, what: string): JsonObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new SourceProblem(`the other server tells of ${what} in a form that is not known`)
  }
  return value as JsonObject
}

/** A member that is an object, or an empty one. */
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

/** A text that every database takes: whole characters and no zero bytes. */
const cleanText = (text: string): string => text.toWellFormed().replaceAll('\0', '\u{fffd}').slice(0, maxTextLength)

/** A member that is a text, or ''. */
export const textOf = (object: JsonObject, name: string): string => {
  const value = object[name]
  return typeof value === 'string' ? cleanText(value) : ''
}

export const flagOf = (object: JsonObject, name: string): boolean => object[name] === true

/** A member that is a whole number that is not negative, or 0. */
export const numberOf = (object: JsonObject, name: string): number => {
  const value = object[name]
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : 0
}

/** The number of an issue or pull request. */
export function indexOf(object: JsonObject, name: string, what: string): number {
  const value = numberOf(object, name)
  if (value < 1 || value > maxNumber) throw new SourceProblem(`the other server tells of ${what} without a number`)
  return value
}

/** A time, or 0 where there is none, as for Go's zero time. */
export const timeOf = (object: JsonObject, name: string): Unix => {
  const value = object[name]
  const unix = typeof value === 'string' ? parseTime(value) : undefined
  return unix === undefined || unix < 0 || unix > maxUnix ? 0 : unix
}

/** The year 9999. */
const maxUnix: Unix = 253_402_300_799

/** A person; of one who has no account over there either, the name that they were known by. */
export function authorOf(person: JsonObject, nameMember = 'login'): SourceAuthor {
  const id = numberOf(person, 'id')
  const known = id === 0 ? textOf(person, 'full_name') : ''
  return { id, name: (known || textOf(person, nameMember)).slice(0, 255) || 'Ghost' }
}

/** An object id, or '' for what is none. */
export const oidOf = (object: JsonObject, name: string): string => {
  const text = textOf(object, name)
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text) && !/^0+$/.test(text) ? text : ''
}

/** A colour without `#`, in six digits; grey for what is none. */
export const colorOf = (object: JsonObject, name: string): string => {
  const digits = /^#?([0-9a-f]{6}|[0-9a-f]{3})$/i.exec(textOf(object, name))?.[1]?.toLowerCase() ?? 'ededed'
  return digits.length === 6 ? digits : digits.replaceAll(/./g, '$&$&')
}
