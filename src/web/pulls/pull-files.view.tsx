import type { VNode } from 'preact'
import type { PatchLine } from '../../code/commits/patch.parse.ts'
import type { ShownDiff, ShownFile } from '../../code/commits/shown-diff.service.ts'
import type { Oid } from '../../lib/ids.ts'
import type { Rewrite } from '../../pulls/reviews/rewrite.service.ts'
import type { PullView } from '../../pulls/pull-view.service.ts'
import type { PullReviews, Thread } from '../../pulls/reviews/thread.service.ts'
import type { ViewedProgress } from '../../pulls/reviews/viewed.service.ts'
import type { LineAnnotations } from '../actions/line-annotations.ts'
import { AnnotatedRuns, annotationsBelow } from '../actions/line-annotations.view.tsx'
import type { DiffAddress, HighlightedSides } from '../ui/diff/diff-props.ts'
import { diffAddress, type DiffChoice } from '../ui/diff/diff-request.ts'
import { DiffView } from '../ui/diff/diff.view.tsx'
import type { LineKey } from '../ui/diff/rows.ts'
import { Editor } from '../ui/editor.tsx'
import { ActButton, Submit } from '../ui/button.tsx'
import { Radios } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'
import { Link } from '../ui/link.tsx'
import { Menu } from '../ui/parts.tsx'
import { usePage } from '../ui/page-context.ts'
import { changedQuery, pathOf, withQuery } from '../ui/paths.ts'
import { QuoteKey } from '../shared/timeline/timeline.view.tsx'
import { PullHead, type PullHeadProps } from './pull-head.view.tsx'
import { pullPath, type RepositoryAddress } from './pull-paths.ts'
import { RewriteView } from './rewrite.view.tsx'
import { pullTexts as texts } from '../languages/texts.ts'
import { SuggestionBar } from './suggestion.view.tsx'
import { Progress, ViewedButton } from './viewed.view.tsx'
import { LineForm, ThreadView, uploadPath, type ThreadProps } from './thread.view.tsx'

interface PullFilesProps {
  readonly repository: RepositoryAddress
  readonly view: PullView
  readonly mayEdit: boolean
  readonly lost: PullHeadProps['lost']
  readonly diff: ShownDiff
  readonly highlighted: ReadonlyMap<string, HighlightedSides>
  readonly annotations: LineAnnotations
  readonly threads: readonly Thread[]
  readonly texts: ThreadProps['texts']
  readonly reactions: ThreadProps['reactions']
  readonly may: ThreadProps['may']
  readonly mayResolve: (thread: Thread) => boolean
  readonly reviews: PullReviews
  readonly choice: DiffChoice
  /** The line at which a comment begins, such as `3-R12`. */
  readonly line: string | undefined
  readonly editing: string | undefined
  /** The contents that the viewer has marked as viewed, by path. */
  readonly viewed: ReadonlyMap<string, Oid>
  readonly progress: ViewedProgress
  readonly base: Oid | undefined
  readonly head: Oid
  /** The commit that the viewer has reviewed, when only later changes are shown. */
  readonly since: Oid | undefined
  /** How the commits were rewritten since then; undefined when commits were only added. */
  readonly rewrite: Rewrite | undefined
  /** The commit of the viewer's last review, when the head is another one. */
  readonly reviewed: Oid | undefined
  readonly mayReview: boolean
  /** Lines of the changes since a review take no comments. */
  readonly mayComment: boolean
  readonly isPoster: boolean
  /** Ids of comments whose suggestions the viewer may commit. */
  readonly applicable: ReadonlySet<number>
}

/** The changed files of a pull request: comments on lines, and the review. */
export function PullFilesView(props: PullFilesProps) {
  const { repository, view, mayEdit, lost, diff, choice, since } = props
  const { layout, ignoresSpace, only } = choice
  const { issue } = view.pair
  const files = pullPath(repository, issue.index, 'files')
  const shown = diffAddress(files, choice)
  const addressOf = (changes: DiffAddress): string =>
    changedQuery(shown(changes), { since: since === undefined ? undefined : 'review', line: changes.line })
  return (
    <>
      <PullHead
        {...{ repository, view, mayEdit, lost }}
        tab="files"
        acts={props.mayReview ? <ReviewMenu {...props} /> : undefined}
      />
      {since === undefined ? null : <p class="muted">{texts.onlySince(since.slice(0, 10))}</p>}
      {props.rewrite === undefined ? null : <RewriteView {...{ repository }} rewrite={props.rewrite} />}
      <DiffView
        {...{ diff, layout, ignoresSpace, only, addressOf }}
        highlighted={props.highlighted}
        isReview
        mayComment={props.mayComment}
        isCollapsed={(file) => since === undefined && only === undefined && isViewed(props, file)}
        actsOf={(file) => <ViewedAct {...props} file={file} />}
        below={belowLines(props, addressOf)}
        fileAt={(side, kind, path) => {
          const commit = side === 'old' ? props.base : props.head
          return commit === undefined
            ? undefined
            : pathOf(repository.owner, repository.name, kind, 'commit', commit, path)
        }}
        aboveLines={(file) =>
          props.threads
            .filter((thread) => thread.path === file.change.path && !isShownAtLine(thread, diff))
            .map((thread) => <ThreadView {...threadProps(props, thread, addressOf)} isAlone />)
        }
        tools={<Tools {...props} files={files} />}
      />
      {props.mayComment ? <QuoteKey /> : null}
      <SuggestionBar {...{ repository }} index={issue.index} applicable={props.applicable} from="files" />
    </>
  )
}

const namesOf = ({ owner, name }: RepositoryAddress) => ({ owner: { name: owner }, repo: { name } })

const isViewed = ({ viewed }: PullFilesProps, { change }: ShownFile): boolean =>
  viewed.get(change.path) === change.newOid

/** What runs found, how many files the viewer has viewed, and the way to the changes since their review. */
const Tools = ({
  progress,
  since,
  reviewed,
  files,
  repository,
  annotations,
}: PullFilesProps & { readonly files: string }) => {
  const { viewer } = usePage()
  return (
    <>
      <AnnotatedRuns {...namesOf(repository)} annotations={annotations} />
      {viewer === undefined || since !== undefined ? null : <Progress {...progress} />}
      {reviewed === undefined ? null : (
        <Link class="button quiet small" to={withQuery(files, { since: since === undefined ? 'review' : undefined })}>
          {since === undefined ? texts.sinceReview : texts.wholeDiff}
        </Link>
      )}
    </>
  )
}

const ViewedAct = (props: PullFilesProps & { readonly file: ShownFile }) => {
  const { viewer } = usePage()
  const { repository, view, choice, file } = props
  if (viewer === undefined || props.since !== undefined) return null
  return (
    <ViewedButton
      to={pullPath(repository, view.pair.issue.index, 'files/viewed')}
      path={file.change.path}
      content={file.change.newOid}
      at={String(file.index)}
      isViewed={isViewed(props, file)}
      style={choice.layout === 'split' ? 'split' : undefined}
      whitespace={choice.ignoresSpace ? 'hide' : undefined}
    />
  )
}

const threadProps = (
  props: PullFilesProps,
  thread: Thread,
  addressOf: (changes: DiffAddress) => string,
): ThreadProps => ({
  thread,
  texts: props.texts,
  reactions: props.reactions,
  repository: props.repository,
  issue: props.view.pair.issue,
  filePath: addressOf({ only: thread.path, context: props.choice.contextLines }),
  may: props.may,
  mayReply: props.mayComment,
  mayResolve: props.mayResolve(thread),
  applicable: props.applicable,
  hasPending: props.reviews.pending !== undefined,
  editing: props.editing,
})

const keyOf = ({ side, line }: Pick<Thread, 'side' | 'line'>): LineKey => (side === 'old' ? `L${line}` : `R${line}`)

const lineOf = ({ side, line }: Thread, file: ShownFile | undefined): PatchLine | undefined =>
  file?.hunks
    .flatMap(({ lines }) => lines)
    .find((each) => (side === 'old' ? each.old === line && each.kind === 'removed' : each.new === line))

/** Whether the line of a thread is among the shown lines. Files whose lines follow later have none yet. */
function isShownAtLine(thread: Thread, diff: ShownDiff): boolean {
  const file = diff.files.find(({ change }) => change.path === thread.path)
  if (!file || thread.isOutdated) return false
  return file.left !== undefined || lineOf(thread, file) !== undefined
}

/** Annotations, threads and the open form, by path and line. */
function belowLines(props: PullFilesProps, addressOf: (changes: DiffAddress) => string) {
  const { diff, choice, repository, view, threads } = props
  const below = annotationsBelow(namesOf(repository), props.annotations)
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
    if (isShownAtLine(thread, diff)) {
      put(thread.path, keyOf(thread), <ThreadView {...threadProps(props, thread, addressOf)} />)
    }
  }
  const wanted = /^(\d{1,6})-([LR])(\d{1,7})(?:-\2(\d{1,7}))?$/.exec(props.line ?? '')
  const file = wanted && diff.files.find(({ index }) => index === Number(wanted[1]))
  if (wanted && file && props.mayComment) {
    const side = wanted[2] === 'L' ? 'old' : 'new'
    const [from, to] = [Number(wanted[3]), Number(wanted[4] ?? wanted[3])]
    const lines = { firstLine: Math.min(from, to), line: Math.max(from, to) }
    put(
      file.change.path,
      keyOf({ side, line: lines.line }),
      <LineForm
        {...{ repository, side, lines }}
        index={view.pair.issue.index}
        path={file.change.path}
        hasPending={props.reviews.pending !== undefined}
        id={`line-${props.line}`}
        open={props.line}
        style={choice.layout === 'split' ? 'split' : undefined}
        whitespace={choice.ignoresSpace ? 'hide' : undefined}
        uploadTo={uploadPath(repository, view.pair.issue.index, props.may)}
        frame={`diff-${file.index}`}
        cancelTo={addressOf({ only: choice.only, context: choice.contextLines })}
      />,
    )
  }
  return below
}

const ReviewMenu = ({ repository, view, reviews, isPoster }: PullFilesProps) => {
  const { issue } = view.pair
  const { refused } = usePage()
  const at = (part: string) => pullPath(repository, issue.index, part)
  const verdicts = (['comment', 'approve', 'reject'] as const).map((value) => ({
    value,
    label: texts.verdicts[value],
    hint: isPoster && value !== 'comment' ? texts.ownPull : texts.verdictHints[value],
    disabled: isPoster && value !== 'comment',
  }))
  return (
    <Menu
      label={texts.finishReview(reviews.pendingCount)}
      align="end"
      kind="primary"
      class="review-menu"
      hotkey="a"
      isOpen={refused?.action === at('files/reviews/submit')}
    >
      <Form to={at('files/reviews/submit')} class="menu-form stack">
        <Editor
          name="content"
          id="review_text"
          label={texts.reviewText}
          isLabelShown
          rows={4}
          autofocus
          repository={repository}
        />
        <Radios name="type" label={texts.verdict} value="comment" choices={verdicts} isLabelHidden />
        <div class="form-acts end">
          <Submit>{texts.submitReview}</Submit>
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
