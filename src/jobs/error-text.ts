import { causesOf } from '../lib/causes.ts'

/** Maximum length of a stored error text, in characters. */
const maxLength = 4000

/** Returns the messages of an error and its causes. */
export function errorText(error: unknown): string {
  const messages = causesOf(error).map((each) =>
    Error.isError(each) ? each.message || each.name : typeof each === 'string' ? each : JSON.stringify(each),
  )
  return [...new Set(messages)].join(': ').slice(0, maxLength)
}
