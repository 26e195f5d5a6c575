import type { Token } from 'markdown-it'

/**
 * Elements whose content is literal: it has no references, mentions and emoji. Only the start of a tag is matched, so that the time
 * is linear.
 */
const literalTags = /<!--[\s\S]*?(?:-->|$)|<(\/?)(code|kbd|samp|tt|pre)(?=[\s>/])/gi

/** The literal elements that are open at a position, while the tokens of a text are read in order. */
export class LiteralElements {
  readonly #open: { readonly name: string; readonly level: number }[] = []

  get isInside(): boolean {
    return this.#open.length > 0
  }

  /** Reads the HTML of a token; an element that it opens ends with the block at `level` at the latest. */
  read(html: string, level: number): void {
    for (const [, slash, tag] of html.matchAll(literalTags)) {
      if (tag === undefined) continue
      const name = tag.toLowerCase()
      if (slash === '') this.#open.push({ name, level })
      else this.#close(name)
    }
  }

  /** Ends the elements of a block, whose end tag closes them. */
  endBlock(token: Token): void {
    while ((this.#open.at(-1)?.level ?? -1) > token.level) this.#open.pop()
  }

  #close(name: string): void {
    const at = this.#open.findLastIndex((element) => element.name === name)
    if (at !== -1) this.#open.splice(at)
  }
}

/**
 * Calls `visit` for each token of a parsed text that contains text, in order, and says whether it stands in a literal element. Elements
 * of an HTML block may begin before and end after Markdown.
 */
export function visitInline(tokens: readonly Token[], visit: (block: Token, literal: LiteralElements) => void): void {
  const literal = new LiteralElements()
  for (const token of tokens) {
    if (token.type === 'html_block') literal.read(token.content, token.level)
    else if (token.type === 'inline') visit(token, literal)
    else if (token.nesting === -1) literal.endBlock(token)
  }
}
