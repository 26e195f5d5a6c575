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
  /** The result is longer than `maxHtml`, or too deep, and stays in the thread. */
  | { readonly kind: 'plain' }

const sum = (texts: readonly string[]): number => texts.reduce((length, text) => length + text.length, 0)

/** Returns the characters of an answer. */
export function lengthOf(answer: TextAnswer): number {
  if (answer.kind === 'render') return answer.rendered.html.length
  if (answer.kind === 'lines') return sum(answer.lines)
  if (answer.kind === 'messages') {
    return sum(
      answer.messages.flatMap(({ parts }) => parts.map((part) => (typeof part === 'string' ? part : part.html))),
    )
  }
  return answer.kind === 'runs' ? sum(answer.runs.flatMap(({ text, links }) => [text, ...links])) : 0
}
