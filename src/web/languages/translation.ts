import type { VNode } from 'preact'
import type { english } from './en/index.ts'

/** A text of another language: another string, or a function of the same values. */
type Translated<Text> = Text extends string
  ? string
  : Text extends number | boolean | null | undefined | VNode
    ? Text
    : Text extends (...values: infer Values) => infer Result
      ? (...values: Values) => Translated<Result>
      : { readonly [Name in keyof Text]: Translated<Text[Name]> }

/** The texts of pages in one language: what `en/index.ts` exports. */
export type Texts = Translated<typeof english>

/**
 * What services say when they refuse, in a language other than English. The keys are the sentences of the source, without the
 * name of a field before them; `{0}` stands for their first value, and `{0!}` in a translation for a value that is itself
 * translated (docs/decisions/0174-refusals-by-their-sentences.md).
 */
export interface RefusalTexts {
  readonly sentences: Readonly<Record<string, string>>
  /** Words of the program that stand in sentences as values. */
  readonly words: Readonly<Record<string, string>>
}
