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
