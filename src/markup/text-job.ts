import type { MarkdownOptions, Rendered } from './markdown.ts'
import type { MarkupKind } from './markup-kind.ts'
import type { SplitMessage } from './message.ts'
import type { TextRuns } from './text-runs.ts'

/** A request to the worker thread of texts. */
export type TextJob =
  | { readonly kind: 'render'; readonly source: string; readonly file: MarkupKind; readonly options: MarkdownOptions }
  | { readonly kind: 'messages'; readonly sources: readonly string[]; readonly options: MarkdownOptions }
  | { readonly kind: 'runs'; readonly sources: readonly string[] }
  | { readonly kind: 'lines'; readonly source: string; readonly language: string }

export type TextAnswer =
  | { readonly kind: 'render'; readonly rendered: Rendered }
  | { readonly kind: 'messages'; readonly messages: readonly SplitMessage[] }
  | { readonly kind: 'runs'; readonly runs: readonly TextRuns[] }
  | { readonly kind: 'lines'; readonly lines: readonly string[] }
