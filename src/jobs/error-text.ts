/** Maximum length of a stored error text, in characters. */
const maxLength = 4000

/** Returns the messages of an error and its causes. */
export function errorText(error: unknown): string {
  const parts: string[] = []
  for (let at: unknown = error, depth = 0; at !== undefined && at !== null && depth < 5; depth++) {
    const message = Error.isError(at) ? at.message || at.name : typeof at === 'string' ? at : JSON.stringify(at)
    if (!parts.includes(message)) parts.push(message)
    at = Error.isError(at) ? at.cause : undefined
  }
  return parts.join(': ').slice(0, maxLength)
}
