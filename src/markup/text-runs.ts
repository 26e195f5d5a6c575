import MarkdownIt from 'markdown-it'
import type { MarkdownIt as Parser, Token } from 'markdown-it'

/** What a text says outside of code, comments and tags. */
export interface TextRuns {
  /**
   * Pieces of plain text, each a line, bare addresses among it; a piece ends where a line, an emphasis, a link or code
   * begins or ends.
   */
  readonly text: string
  /** Targets of links that are written as such. */
  readonly links: readonly string[]
}

/** More than this is not looked through, in characters. */
const maxLength = 1_000_000

/** Links beyond this number are not looked at. */
const maxLinks = 1000

let parser: Parser | undefined

/**
 * Reads a Markdown text for what refers to other things, without rendering it. It takes time by what strangers wrote: see
 * `texts.ts`.
 */
export function textRuns(markdown: string): TextRuns {
  parser ??= new MarkdownIt({ html: true, linkify: true })
  parser.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false })
  const texts: string[] = []
  const links: string[] = []
  for (const block of parser.parse(markdown.slice(0, maxLength), {})) {
    if (block.type === 'inline') collect(block.children ?? [], texts, links)
  }
  return { text: texts.join('\n'), links }
}

function collect(tokens: readonly Token[], texts: string[], links: string[]): void {
  let linkDepth = 0
  let piece = ''
  const endPiece = (): void => {
    if (piece !== '') texts.push(piece)
    piece = ''
  }
  for (const token of tokens) {
    // What the parser found to be an address is text as it was written.
    const isBare = token.markup === 'linkify'
    if (token.type === 'text') {
      if (linkDepth === 0) piece += token.content
    } else if (token.type === 'link_open' && !isBare) {
      endPiece()
      linkDepth += 1
      if (links.length < maxLinks) links.push(String(token.attrGet('href') ?? ''))
    } else if (token.type === 'link_close' && !isBare) {
      linkDepth -= 1
    } else if (!isBare) {
      endPiece()
    }
  }
  endPiece()
}
