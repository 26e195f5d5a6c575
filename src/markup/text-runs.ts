import MarkdownIt from 'markdown-it'
import type { MarkdownIt as Parser, Token } from 'markdown-it'

/** The plain text and links of a Markdown text, without code, comments and tags. */
export interface TextRuns {
  /** Runs of plain text with bare addresses, one per line; a run ends at a line break, emphasis, link or code. */
  readonly text: string
  /** Targets of explicit links. */
  readonly links: readonly string[]
}

/** Longest text that is read, in characters; the rest is ignored. */
const maxLength = 1_000_000

/** Most links that are returned. */
const maxLinks = 1000

let parser: Parser | undefined

/** Reads text and links of Markdown without rendering it. The time depends on the text, so callers go through `texts.ts`. */
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
  let run = ''
  const endRun = (): void => {
    if (run !== '') texts.push(run)
    run = ''
  }
  for (const token of tokens) {
    // A bare address is part of the text.
    const isBare = token.markup === 'linkify'
    if (token.type === 'text') {
      if (linkDepth === 0) run += token.content
    } else if (token.type === 'link_open' && !isBare) {
      endRun()
      linkDepth += 1
      if (links.length < maxLinks) links.push(String(token.attrGet('href') ?? ''))
    } else if (token.type === 'link_close' && !isBare) {
      linkDepth -= 1
    } else if (!isBare) {
      endRun()
    }
  }
  endRun()
}
