const trailer = /^[A-Za-z0-9][A-Za-z0-9-]*: \S/
const isContinued = (line: string): boolean => /^[ \t]+\S/.test(line)

/**
 * Whether the last paragraph of a message is one of trailers (`Signed-off-by: …`), which more are added to. The first
 * paragraph is never: it is the title (git-interpret-trailers(1)).
 */
function endsInTrailers(message: string): boolean {
  const paragraphs = message.split(/\n(?:[ \t]*\n)+/)
  const last = paragraphs.length > 1 ? (paragraphs.at(-1) as string).split('\n') : []
  const [first = ''] = last
  return trailer.test(first) && last.every((line) => trailer.test(line) || isContinued(line))
}

/**
 * A message with trailers at its end, in the block of those that are there, else after an empty line. One that the last
 * block holds already is not repeated.
 */
export function withTrailers(message: string, trailers: readonly string[]): string {
  const text = message.trimEnd()
  const isBlock = endsInTrailers(text)
  const present = new Set(isBlock ? text.split('\n') : [])
  const added = trailers.filter((line) => !present.has(line))
  if (added.length === 0) return message
  return `${text}${isBlock ? '\n' : '\n\n'}${added.join('\n')}`
}
