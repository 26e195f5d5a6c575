const trailer = /^[A-Za-z0-9][A-Za-z0-9-]*: \S/
const isContinued = (line: string): boolean => /^[ \t]+\S/.test(line)

/**
 * Returns whether the last paragraph of a message consists of trailers (`Signed-off-by: …`). The first paragraph is the title
 * and never does (git-interpret-trailers(1)).
 */
function endsInTrailers(message: string): boolean {
  const paragraphs = message.split(/\n(?:[ \t]*\n)+/)
  const last = paragraphs.length > 1 ? (paragraphs.at(-1) as string).split('\n') : []
  const [first = ''] = last
  return trailer.test(first) && last.every((line) => trailer.test(line) || isContinued(line))
}

/**
 * Appends trailers to a message, to its block of trailers or after an empty line. A trailer that the block contains is not
 * repeated.
 */
export function withTrailers(message: string, trailers: readonly string[]): string {
  const text = message.trimEnd()
  const isBlock = endsInTrailers(text)
  const present = new Set(isBlock ? text.split('\n') : [])
  const added = trailers.filter((line) => !present.has(line))
  if (added.length === 0) return message
  return `${text}${isBlock ? '\n' : '\n\n'}${added.join('\n')}`
}
