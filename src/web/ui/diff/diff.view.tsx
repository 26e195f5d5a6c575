import { maxLines } from '../../../code/commits/shown-diff.rules.ts'
import type { Batch, ShownFile } from '../../../code/commits/shown-diff.service.ts'
import { ButtonLink, Link } from '../link.tsx'
import { usePage } from '../page-context.ts'
import { Empty, Pages } from '../parts.tsx'
import { siteHref } from '../paths.ts'
import { contextOf, DiffFile } from './diff-file.view.tsx'
import { Counts } from './diff-marks.view.tsx'
import { DiffTree } from './diff-tree.view.tsx'
import type { DiffViewProps } from './diff-props.ts'
import { diffTexts as texts } from '../../languages/texts.ts'

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
      <ChangeKeys isReview={props.isReview ?? false} />
      <div class="diff-files" data-lines data-changes>
        {batchesOf(diff).map((part) => (
          <Files {...props} {...part} />
        ))}
        {diff.batch !== undefined ? null : only === undefined ? (
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

interface Part {
  readonly files: readonly ShownFile[]
  /** The batch that the files are in; undefined for the first files of a page. */
  readonly batch: Batch | undefined
  readonly isLoaded: boolean
}

/** Divides the files: those whose lines are there, and batches that a browser loads when they come into view. */
function batchesOf(diff: DiffViewProps['diff']): readonly Part[] {
  const { files, batch } = diff
  if (batch !== undefined) return [{ files, batch, isLoaded: true }]
  const first = files.findIndex(({ left }) => left === 'later')
  if (first === -1) return [{ files, batch, isLoaded: true }]
  const groups: ShownFile[][] = []
  let lines = Infinity
  for (const file of files.slice(first)) {
    const size = file.left === 'later' ? file.change.additions + file.change.deletions : 0
    lines += size
    if (lines > maxLines) {
      groups.push([])
      lines = size
    }
    groups.at(-1)!.push(file)
  }
  return [
    { files: files.slice(0, first), batch, isLoaded: true },
    ...groups.map((group) => ({
      files: group,
      batch: { from: group[0]!.index, to: group.at(-1)!.index + 1 },
      isLoaded: false,
    })),
  ]
}

/** Files one below the other, in a frame when they belong to a batch. */
function Files({ files, batch, isLoaded, ...props }: DiffViewProps & Part) {
  const { config } = usePage()
  const list = files.map((file) => <DiffFile {...props} file={file} isAwaited={!isLoaded} />)
  if (batch === undefined) return <>{list}</>
  const address = siteHref(config, props.addressOf({ batch, context: contextOf(props.diff) }))
  const lazily = isLoaded ? {} : { src: address, loading: 'lazy' }
  return (
    <turbo-frame id={`diff-batch-${batch.from}`} target="_top" class="diff-batch" {...lazily}>
      {list}
    </turbo-frame>
  )
}

/** The keys of changed files: scripts do what the buttons name. */
const ChangeKeys = ({ isReview }: { readonly isReview: boolean }) => (
  <>
    <p role="status" class="sr-only" data-change-status="" />
    <div hidden data-change-keys="" data-marked={texts.keys.marked}>
      {Object.entries(isReview ? { ...moveKeys, ...reviewKeys } : moveKeys).map(([act, key]) => (
        <button
          type="button"
          data-hotkey={key}
          data-change-act={act}
          data-none={texts.keys.none[act as keyof typeof texts.keys.none]}
        />
      ))}
    </div>
  </>
)

const moveKeys = {
  'next-file': 'n',
  'previous-file': 'p',
  'next-change': 'j',
  'previous-change': 'k',
} as const

const reviewKeys = {
  'next-thread': ']',
  'previous-thread': '[',
  'extend-down': 'Shift+J',
  'extend-up': 'Shift+K',
  comment: 'c',
  suggest: 's',
  viewed: 'v',
} as const

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
