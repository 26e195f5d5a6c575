/** Characters that are looked at. */
const mostLooked = 1000

/** The mark before a heading, a quotation, an item of a list or a task. */
const blockMark = /^(?:#{1,6}\s+|(?:>\s?)+|(?:[-*+]|\d{1,9}[.)])\s+(?:\[[ xX]\]\s+)?)/
/** Lines that have no words: fences, rules, comments, and the line below a heading or the head of a table. */
const wordless = /^(?:`{3,}.*|~{3,}.*|[-*_=|:\s]+|<!--.*)$/

/** Marks around words, each with what stays of them. */
const inlineMarks: readonly (readonly [RegExp, string])[] = [
  [/!?\[([^\]]*)\]\([^)]*\)/g, '$1'],
  [/!?\[([^\]]+)\]\[[^\]]*\]/g, '$1'],
  [/<(https?:[^\s>]+)>/g, '$1'],
  [/<\/?[a-z][^>]*>/gi, ''],
  [/(\*\*|__|~~)(?=\S)([^*_~]+)\1/g, '$2'],
  [/(?<![\w*\\])\*(?=\S)([^*]*[^*\s\\])\*(?![\w*])/g, '$1'],
  [/(?<![\w_\\])_(?=\S)([^_]*[^_\s\\])_(?![\w_])/g, '$1'],
  [/\\([!-/:-@[-`{-~])/g, '$1'],
]

/**
 * Returns the first paragraph, heading or item of a Markdown text as plain words, for lists and previews. Code stays between
 * its backticks. A guess for short texts, which costs no rendering.
 */
export function plainSummary(markdown: string): string {
  const lines = markdown
    .slice(0, mostLooked)
    .split('\n')
    .map((line) => line.trim())
  const first = lines.findIndex((line) => line !== '' && !wordless.test(line))
  if (first === -1) return ''
  const words = [(lines[first] ?? '').replace(blockMark, '')]
  for (const line of lines.slice(first + 1)) {
    if (line === '' || wordless.test(line) || blockMark.test(line)) break
    words.push(line)
  }
  let text = words.join(' ')
  for (const [mark, kept] of inlineMarks) text = text.replace(mark, kept)
  return text.trim()
}
