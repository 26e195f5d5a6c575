import type { Env } from 'markdown-it'
import type { Highlighters } from './highlight.ts'
import type { LinkBases } from './links.ts'
import type { Reference, ReferenceRules, ResolvedReferences } from './references.ts'

/** What the rules of one rendering share. Parsers serve many renderings, so nothing of one text is kept in them. */
export interface RenderState {
  readonly bases: LinkBases
  /** Absent in plain mode, where a text refers to nothing. */
  readonly references?: ReferenceRules
  /** Folder of wiki pages, when `[[Page]]` leads to one. */
  readonly wiki?: string
  /** Where each line of the parsed text begins in the source, in bytes. */
  readonly lineOffsets: readonly number[]
  /** The parsed text by lines, to find marks within a line. */
  readonly lines: readonly string[]
  /** Filled while the text is parsed. */
  readonly found: Reference[]
  /** Filled between parsing and rendering. */
  resolved: ResolvedReferences
  highlighters: Highlighters
}

const key = Symbol('render state')

export const withState = (state: RenderState): Env => ({ [key]: state })

/** The state of the rendering an environment belongs to. */
export function stateOf(env: Env | undefined): RenderState {
  const state = env?.[key]
  if (state === undefined) throw new Error('rendered without a render state')
  return state as RenderState
}
