import type { VNode } from 'preact'
import type { ShownDiff } from '../../code/commits/shown-diff.service.ts'
import type { Oid } from '../../lib/ids.ts'
import type { PullView } from '../../pulls/pull-view.service.ts'
import type { PullReviews, Thread } from '../../pulls/reviews/thread.service.ts'
import type { DiffAddress, HighlightedSides } from '../ui/diff/diff-props.ts'
import { DiffView } from '../ui/diff/diff.view.tsx'
import type { DiffLayout, LineKey } from '../ui/diff/rows.ts'
import { Editor } from '../ui/editor.tsx'
import { ActButton, Form, Radios, Submit } from '../ui/form.tsx'
import { Link } from '../ui/link.tsx'
import { Menu } from '../ui/parts.tsx'
import { pathOf, withQuery } from '../ui/paths.ts'
import { PullHead } from './pull-head.view.tsx'
import { pullPath, type Place } from './pull-paths.ts'
import { texts } from './texts.tsx'
import { LineForm, ThreadView } from './thread.view.tsx'

interface PullFilesProps {
  readonly place: Place
  readonly view: PullView
  readonly mayEdit: boolean
  readonly diff: ShownDiff
  readonly highlighted: ReadonlyMap<string, HighlightedSides>
  readonly threads: readonly Thread[]
  readonly html: ReadonlyMap<number, string>
  readonly reviews: PullReviews
  readonly query: {
    readonly space?: string | undefined
    readonly only?: string | undefined
    readonly context?: number | undefined
    readonly line?: string | undefined
  }
  readonly base: Oid | undefined
  readonly head: Oid
  /** The commit that the viewer has reviewed, when only later changes are shown. */
  readonly since: Oid | undefined
  /** The commit of the viewer's last review, when the head is another one. */
  readonly reviewed: Oid | undefined
  readonly mayComment: boolean
  readonly isPoster: boolean
  readonly layout: DiffLayout
}

/** The changed files of a pull request: comments on lines, and the review. */
export function PullFilesView(props: PullFilesProps) {
  const { place, view, mayEdit, diff, query, layout, since } = props
  const { issue } = view.pair
  const files = pullPath(place, issue.index, 'files')
  const addressOf = (changes: DiffAddress): string => {
    const shownAs = 'view' in changes ? changes.view : layout
    const space = 'space' in changes ? changes.space : query.space
    return withQuery(files, {
      view: shownAs === 'split' ? 'split' : undefined,
      space,
      since: since === undefined ? undefined : 'review',
      only: changes.only,
      context: changes.context,
      line: changes.line,
    })
  }
  return (
    <>
      <PullHead
        {...{ place, view, mayEdit }}
        tab="files"
        acts={props.mayComment ? <ReviewMenu {...props} /> : undefined}
      />
      {since === undefined ? null : <p class="muted">{texts.onlySince(since.slice(0, 10))}</p>}
      <DiffView
        {...{ diff, layout, addressOf }}
        only={query.only}
        highlighted={props.highlighted}
        ignoresSpace={query.space === 'hide'}
        mayComment={props.mayComment}
        below={belowLines(props, addressOf)}
        fileAt={(side, kind, path) => {
          const commit = side === 'old' ? props.base : props.head
          return commit === undefined ? undefined : pathOf(place.owner, place.name, kind, 'commit', commit, path)
        }}
        aboveLines={(file) =>
          props.threads
            .filter((thread) => thread.path === file.change.path && !isShownAtLine(thread, diff))
            .map((thread) => <ThreadView {...threadProps(props, thread)} isAlone mayReply={false} />)
        }
        tools={
          props.reviewed === undefined ? undefined : (
            <Link
              class="button quiet small"
              to={withQuery(files, { since: since === undefined ? 'review' : undefined })}
            >
              {since === undefined ? texts.sinceReview : texts.wholeDiff}
            </Link>
          )
        }
      />
    </>
  )
}

const threadProps = (props: PullFilesProps, thread: Thread) => ({
  thread,
  html: props.html,
  place: props.place,
  index: props.view.pair.issue.index,
  mayReply: props.mayComment,
  mayApply: props.mayComment && props.mayEdit,
  hasPending: props.reviews.pending !== undefined,
})

const keyOf = ({ side, line }: Pick<Thread, 'side' | 'line'>): LineKey => (side === 'old' ? `L${line}` : `R${line}`)

/** Whether the line of a thread is among the shown lines. Files whose lines follow later have none yet. */
function isShownAtLine(thread: Thread, diff: ShownDiff): boolean {
  const file = diff.files.find(({ change }) => change.path === thread.path)
  if (!file || thread.isOutdated) return false
  if (file.left !== undefined) return true
  return file.hunks.some(({ lines }) =>
    lines.some((line) =>
      thread.side === 'old' ? line.old === thread.line && line.kind === 'removed' : line.new === thread.line,
    ),
  )
}

/** Threads and the open form, by path and line. */
function belowLines(props: PullFilesProps, addressOf: (changes: DiffAddress) => string) {
  const { diff, query, place, view, threads } = props
  const below = new Map<string, Map<LineKey, VNode>>()
  const put = (path: string, key: LineKey, node: VNode) => {
    const lines = below.get(path) ?? new Map<LineKey, VNode>()
    const before = lines.get(key)
    lines.set(
      key,
      before ? (
        <>
          {before}
          {node}
        </>
      ) : (
        node
      ),
    )
    below.set(path, lines)
  }
  for (const thread of threads) {
    if (isShownAtLine(thread, diff)) put(thread.path, keyOf(thread), <ThreadView {...threadProps(props, thread)} />)
  }
  const wanted = /^(\d{1,6})-([LR])(\d{1,7})$/.exec(query.line ?? '')
  const file = wanted && diff.files.find(({ index }) => index === Number(wanted[1]))
  if (wanted && file && props.mayComment) {
    const side = wanted[2] === 'L' ? 'old' : 'new'
    const line = Number(wanted[3])
    put(
      file.change.path,
      keyOf({ side, line }),
      <LineForm
        {...{ place, side, line }}
        index={view.pair.issue.index}
        path={file.change.path}
        hasPending={props.reviews.pending !== undefined}
        id={`line-${query.line}`}
        frame={`diff-${file.index}`}
        cancelTo={addressOf({ only: query.only, context: query.context })}
      />,
    )
  }
  return below
}

const ReviewMenu = ({ place, view, reviews, isPoster }: PullFilesProps) => {
  const { issue } = view.pair
  const at = (part: string) => pullPath(place, issue.index, part)
  const verdicts = (['comment', 'approve', 'reject'] as const).map((value) => ({
    value,
    label: texts.verdicts[value],
    hint: isPoster && value !== 'comment' ? texts.ownPull : texts.verdictHints[value],
    disabled: isPoster && value !== 'comment',
  }))
  return (
    <Menu label={texts.finishReview(reviews.pendingCount)} align="end" kind="primary" class="review-menu">
      <Form to={at('files/reviews/submit')} class="menu-form stack">
        <Editor name="content" id="review_text" label={texts.reviewText} isLabelShown rows={4} repository={place} />
        <Radios name="type" label={texts.verdict} value="comment" choices={verdicts} isLabelHidden />
        <div class="form-acts end">
          <Submit kind="plain">{texts.submitReview}</Submit>
        </div>
      </Form>
      {reviews.pending ? (
        <ActButton to={at('files/reviews/discard')} kind="danger" class="small" confirm={texts.discardQuestion}>
          {texts.discardReview}
        </ActButton>
      ) : null}
    </Menu>
  )
}
