import type { StateCore, Token } from 'markdown-it'

/** A footnote in the order of the references: of a definition, which has a label, or written in its place (`^[text]`). */
interface Footnote {
  readonly label?: string
  /** Number of references to a label. */
  readonly count?: number
  readonly tokens?: Token[]
  readonly content?: string
}

interface FootnoteEnv {
  readonly footnotes?: { readonly list?: readonly Footnote[] }
}

/**
 * Moves the definitions of footnotes to the end of a text. It does what the rule of `markdown-it-footnote` does, which copies all
 * tokens for each footnote: 8,000 of them took four seconds.
 */
export function moveFootnotes(state: StateCore): void {
  const { footnotes } = state.env as FootnoteEnv
  if (footnotes === undefined) return
  const definitions = takeDefinitions(state)
  if (footnotes.list === undefined) return
  const { Token, tokens } = state
  tokens.push(new Token('footnote_block_open', '', 1))
  for (const [id, { label, count = 1, ...inPlace }] of footnotes.list.entries()) {
    const open = new Token('footnote_open', '', 1)
    open.meta = { id, label }
    tokens.push(open)
    const own = inPlace.tokens === undefined ? definitions.get(label ?? '') : paragraphOf(state, inPlace)
    for (const token of own ?? []) tokens.push(token)
    // The way back stands in the last paragraph.
    const last = tokens.at(-1)?.type === 'paragraph_close' ? tokens.pop() : undefined
    for (let subId = 0; subId < Math.max(count, 1); subId++) {
      const anchor = new Token('footnote_anchor', '', 0)
      anchor.meta = { id, subId, label }
      tokens.push(anchor)
    }
    if (last !== undefined) tokens.push(last)
    tokens.push(new Token('footnote_close', '', -1))
  }
  tokens.push(new Token('footnote_block_close', '', -1))
}

/** Removes the definitions from the text; returns them by label. */
function takeDefinitions(state: StateCore): Map<string, readonly Token[]> {
  const definitions = new Map<string, readonly Token[]>()
  let label = ''
  let definition: Token[] = []
  let isInside = false
  state.tokens = state.tokens.filter((token) => {
    if (token.type === 'footnote_reference_open') {
      isInside = true
      definition = []
      label = (token.meta as { label: string }).label
      return false
    }
    if (token.type === 'footnote_reference_close') {
      isInside = false
      definitions.set(label, definition)
      return false
    }
    if (isInside) definition.push(token)
    return !isInside
  })
  return definitions
}

function paragraphOf({ Token }: StateCore, { tokens = [], content = '' }: Footnote): readonly Token[] {
  const open = new Token('paragraph_open', 'p', 1)
  const inline = new Token('inline', '', 0)
  const close = new Token('paragraph_close', 'p', -1)
  open.block = true
  close.block = true
  Object.assign(inline, { children: tokens, content })
  return [open, inline, close]
}
