import type { Token } from 'markdown-it'
import { parsedPart } from './limited.ts'
import { type LiteralElements, visitInline } from './literal-elements.ts'
import { parseComment } from './markdown.ts'

/** The plain text and links of a Markdown text, without code, comments and tags. */
export interface TextRuns {
  /** Runs of plain text with bare addresses, one per line; a run ends at a line break, emphasis, link or code. */
  readonly text: string
  /** Targets of explicit links. */
  readonly links: readonly string[]
}

/** Longest text that is read, in characters; the rest is ignored, as lines are that are too many to be rendered. */
const maxLength = 1_000_000

/** Most links that are returned. */
const maxLinks = 1000

/**
 * Reads text and links of a comment without rendering it. The parser is that of the rendering, so that code, formulas and footnotes are
 * the same in both. The time depends on the text, so callers go through `texts.ts`.
 */
export function textRuns(markdown: string): TextRuns {
  const texts: string[] = []
  const links: string[] = []
  visitInline(parseComment(parsedPart(markdown.slice(0, maxLength))), (block, literal) =>
    collect(block, literal, texts, links),
  )
  return { text: texts.join('\n'), links }
}

function collect(block: Token, literal: LiteralElements, texts: string[], links: string[]): void {
  let linkDepth = 0
  let run = ''
  const endRun = (): void => {
    if (run !== '') texts.push(run)
    run = ''
  }
  for (const token of block.children ?? []) {
    // A bare address is part of the text.
    const isBare = token.markup === 'linkify'
    if (token.type === 'html_inline') literal.read(token.content, block.level)
    if (token.type === 'text') {
      if (linkDepth === 0 && !literal.isInside) run += token.content
    } else if (token.type === 'link_open' && !isBare) {
      endRun()
      linkDepth += 1
      if (links.length < maxLinks && !literal.isInside) links.push(String(token.attrGet('href') ?? ''))
    } else if (token.type === 'link_close' && !isBare) {
      linkDepth -= 1
    } else if (!isBare) {
      // An escaped character is a token of its own, so it ends the run: `\#1` names nothing.
      endRun()
    }
  }
  endRun()
}
