import type { ComponentChildren, VNode } from 'preact'
import type { Batch, ShownDiff, ShownFile } from '../../../code/commits/shown-diff.service.ts'
import type { DiffLayout, LineKey } from './rows.ts'

/** What an address of a difference changes; undefined keeps the default. */
export interface DiffAddress {
  /** Path of the only file. */
  readonly only?: string | undefined
  readonly context?: number | undefined
  /** The only files. */
  readonly batch?: Batch | undefined
  readonly view?: DiffLayout | undefined
  readonly space?: 'hide' | undefined
  /** A line at which a comment begins, such as `3-R12`. */
  readonly line?: string | undefined
}

/** Lines of both sides of a file as HTML. */
export interface HighlightedSides {
  readonly old?: readonly string[] | undefined
  readonly new?: readonly string[] | undefined
}

export interface DiffViewProps {
  readonly diff: ShownDiff
  readonly layout: DiffLayout
  readonly ignoresSpace: boolean
  /** Returns the address of the page with layout and white space as now, and these changes. */
  readonly addressOf: (changes: DiffAddress) => string
  /** Path of the only file that the page shows. */
  readonly only?: string | undefined
  /** Returns the address of a file, or of its bytes, on one side; undefined when the side cannot be read. */
  readonly fileAt?: (side: 'old' | 'new', kind: 'src' | 'raw', path: string) => string | undefined
  /** By path. */
  readonly highlighted?: ReadonlyMap<string, HighlightedSides> | undefined
  /** What is shown below lines, by path and line. */
  readonly below?: ReadonlyMap<string, ReadonlyMap<LineKey, VNode>>
  /** The difference is reviewed: keys reach its conversations, comments and marks. */
  readonly isReview?: boolean
  /** Whether lines offer a comment. */
  readonly mayComment?: boolean
  /** Further controls in the head of a file. */
  readonly actsOf?: (file: ShownFile) => ComponentChildren
  /** Files that begin collapsed. */
  readonly isCollapsed?: (file: ShownFile) => boolean
  /** Controls beside the layout. */
  readonly tools?: ComponentChildren
  /** What is shown between the head and the lines of a file. */
  readonly aboveLines?: (file: ShownFile) => ComponentChildren
}
