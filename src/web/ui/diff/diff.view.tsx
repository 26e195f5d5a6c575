import type { ComponentChildren, VNode } from 'preact'
import type { ShownDiff, ShownFile } from '../../../code/commits/shown-diff.service.ts'
import { ButtonLink, Link } from '../link.tsx'
import { Empty, Pages } from '../parts.tsx'
import { DiffFile } from './diff-file.view.tsx'
import { Counts } from './diff-marks.view.tsx'
import { DiffTree } from './diff-tree.view.tsx'
import type { DiffLayout, LineKey } from './rows.ts'
import { texts } from './texts.tsx'

/** What an address of a difference changes; undefined keeps the default. */
export interface DiffAddress {
  /** Path of the only file. */
  readonly only?: string | undefined
  readonly context?: number | undefined
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

/** The changed files: totals, tree, and the lines of each file. */
export function DiffView(props: DiffViewProps) {
  const { diff, only } = props
  if (diff.total.files === 0) {
    return (
      <Empty icon="file-diff" title={texts.nothing}>
        <p>{props.ignoresSpace ? texts.onlySpace : texts.nothingHint}</p>
        {props.ignoresSpace ? (
          <div class="acts">
            <ButtonLink to={props.addressOf({ space: undefined })}>{texts.showSpace}</ButtonLink>
          </div>
        ) : null}
      </Empty>
    )
  }
  return (
    <div class={`diff${only === undefined && diff.files.length > 1 ? ' with-tree' : ''}`}>
      <DiffTools {...props} />
      {only === undefined && diff.files.length > 1 ? <DiffTree files={diff.files} /> : null}
      <div class="diff-files" data-lines>
        {diff.files.map((file) => (
          <DiffFile {...props} file={file} />
        ))}
        {only === undefined ? (
          <Pages page={diff.page} isLast={diff.isLastPage} />
        ) : (
          <p class="muted small">
            <Link to={props.addressOf({ only: undefined })} data-turbo-frame="_top">
              {texts.allFiles}
            </Link>
          </p>
        )}
      </div>
    </div>
  )
}

const DiffTools = ({ diff, layout, ignoresSpace, addressOf, only, tools }: DiffViewProps) => (
  <div class="diff-tools">
    <p class="diff-total">
      <strong>{texts.changedFiles(diff.total.files)}</strong>
      <Counts additions={diff.total.additions} deletions={diff.total.deletions} />
    </p>
    <span class="spacer" />
    {tools}
    <Link class="button quiet small" to={addressOf({ only, space: ignoresSpace ? undefined : 'hide' })}>
      {ignoresSpace ? texts.showSpace : texts.hideSpace}
    </Link>
    <div class="button-group" role="group" aria-label={texts.layout}>
      {(['unified', 'split'] as const).map((each) => (
        <Link
          class="button plain small"
          to={addressOf({ only, view: each })}
          aria-current={each === layout ? 'true' : undefined}
        >
          {texts[each]}
        </Link>
      ))}
    </div>
  </div>
)
