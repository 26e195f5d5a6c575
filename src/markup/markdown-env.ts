import type { Env } from 'markdown-it'
import type { Formulas } from './formula.ts'
import type { Highlighters } from './highlight.ts'
import type { LinkBases } from './links.ts'
import type { Reference, ReferenceRules, ResolvedReferences } from './references.ts'

/** The state of one rendering. Parsers are shared by renderings and keep no state. */
export interface RenderState {
  readonly bases: LinkBases
  /** Absent in mode `markdown`, which has no references. */
  readonly references?: ReferenceRules
  /** Folder of wiki pages for `[[Page]]`. */
  readonly wiki?: string
  /** Byte offset of each parsed line in the source. */
  readonly lineOffsets: readonly number[]
  /** The lines of the parsed text. */
  readonly lines: readonly string[]
  /** Filled by the parser. */
  readonly found: Reference[]
  /** Filled between parsing and rendering. */
  resolved: ResolvedReferences
  highlighters: Highlighters
  /** Absent when formulas stay source. */
  formulas?: Formulas
  readonly suggestion?: Suggestion
  /** Longest diagram that pages draw. */
  readonly maxDiagramLength: number
  /** HTML of the rendered formulas, which takes their place after sanitising. */
  readonly rendered: string[]
}

/** Lines that a text suggests in place of others. */
export interface Suggestion {
  readonly removed: readonly string[]
  readonly added: readonly string[]
}

const key = Symbol('render state')

export const withState = (state: RenderState): Env => ({ [key]: state })

/** Returns the state of an environment. */
export function stateOf(env: Env | undefined): RenderState {
  const state = env?.[key]
  if (state === undefined) throw new Error('rendered without a render state')
  return state as RenderState
}
