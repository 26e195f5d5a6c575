import { ButtonLink, Link } from '../link.tsx'
import { Empty, Pages } from '../parts.tsx'
import { DiffFile } from './diff-file.view.tsx'
import { Counts } from './diff-marks.view.tsx'
import { DiffTree } from './diff-tree.view.tsx'
import type { DiffViewProps } from './diff-props.ts'
import { texts } from './texts.tsx'

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
