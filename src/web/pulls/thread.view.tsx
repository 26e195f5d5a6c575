import type { IssueRow } from '../../db/tables/issues.ts'
import type { ReactionCount } from '../../issues/timeline/timeline-view.service.ts'
import type { LineComment, Thread } from '../../pulls/reviews/thread.service.ts'
import { Comment } from '../shared/timeline/timeline.view.tsx'
import type { ConversationProps } from '../issues/issue-props.ts'
import { pathField } from '../ui/path-field.ts'
import { Editor } from '../ui/editor.tsx'
import { ActButton, Submit } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'
import { Icon } from '../ui/icon.tsx'
import { Link } from '../ui/link.tsx'
import { Tag } from '../ui/parts.tsx'
import { usePage, type PageFacts } from '../ui/page-context.ts'
import { pathOf, withQuery } from '../ui/paths.ts'
import { pullPath, type RepositoryAddress } from './pull-paths.ts'
import { SuggestionActs } from './suggestion.view.tsx'
import { pullTexts as words } from '../languages/texts.ts'

export interface ThreadProps {
  readonly thread: Thread
  /** Rendered texts and reactions by id of the comment. */
  readonly texts: ReadonlyMap<number, string>
  readonly reactions: ReadonlyMap<number, readonly ReactionCount[]>
  readonly repository: RepositoryAddress
  readonly issue: IssueRow
  /** Shown outside of the difference, with the lines that it is about. */
  readonly isAlone?: boolean
  /** Address of the page with only this file; undefined on the page of the conversation. */
  readonly filePath?: string | undefined
  readonly may: ConversationProps['may']
  readonly mayReply: boolean
  readonly mayResolve: boolean
  /** Ids of comments whose suggestions the viewer may commit. */
  readonly applicable: ReadonlySet<number>
  readonly hasPending?: boolean
  /** Anchor of the text that is shown as a form. */
  readonly editing?: string | undefined
}

/** The comments on a line. A resolved conversation is folded, among the changed files an outdated one too. */
export function ThreadView(props: ThreadProps) {
  const { thread, isAlone, editing, filePath } = props
  const label = words.lineText(thread.path, thread)
  // Among the changed files it stands below the heading of its file.
  const Heading = filePath === undefined ? 'h2' : 'h3'
  const heading = <Heading class="sr-only">{label}</Heading>
  if (!thread.isResolved && (!thread.isOutdated || filePath === undefined)) {
    return (
      <section class={`thread${isAlone ? ' alone' : ''}`} aria-label={label}>
        {heading}
        <ThreadHead {...props} />
        <ThreadBody {...props} />
      </section>
    )
  }
  const isOpen = thread.comments.some(({ row }) => editing === anchorOf(row))
  const count = thread.comments.length
  return (
    <section class={`thread is-folded${isAlone ? ' alone' : ''}`} aria-label={label}>
      {heading}
      <details open={isOpen}>
        <summary class="thread-head">
          {thread.isResolved ? <Icon name="check-circle" class="done-text" /> : null}
          <span class="thread-place">{isAlone ? <code>{placeText(thread)}</code> : null}</span>
          <Outdated {...{ thread }} />
          <span class="muted">
            {thread.isResolved ? words.resolvedBy(thread.resolver?.name, count) : words.comments(count)}
          </span>
          <Icon name="chevron-right" class="fold" />
        </summary>
        <ThreadBody {...props} />
      </details>
    </section>
  )
}

/** Marks a conversation whose lines have changed. */
const Outdated = ({ thread }: Pick<ThreadProps, 'thread'>) =>
  thread.isOutdated ? <Tag tone="warning">{words.outdated}</Tag> : null

/** Returns the path that takes dropped files; undefined when the viewer may not attach any. */
export const uploadPath = (
  repository: RepositoryAddress,
  index: number,
  { attach }: Pick<ThreadProps['may'], 'attach'>,
) => (attach ? pathOf(repository.owner, repository.name, 'issues', index, 'attachments') : undefined)

const anchorOf = ({ id }: { readonly id: number }): string => `issuecomment-${id}`

const placeText = ({ path, firstLine, line }: Thread): string =>
  firstLine === line ? `${path}:${line}` : `${path}:${firstLine}–${line}`

const ThreadHead = ({ thread, repository, issue, isAlone, filePath }: ThreadProps) => {
  const [first] = thread.comments
  if (!isAlone) {
    return thread.firstLine === thread.line ? null : (
      <header class="thread-note muted small">{words.lines(thread)}</header>
    )
  }
  const files = withQuery(pullPath(repository, issue.index, 'files'), { file: thread.path })
  return (
    <header class="thread-head">
      <span class="thread-place">
        {filePath === undefined && first ? (
          <Link to={`${files}#${anchorOf(first.row)}`} title={words.seeInFiles}>
            <code>{placeText(thread)}</code>
          </Link>
        ) : (
          <code>{placeText(thread)}</code>
        )}
      </span>
      <Outdated {...{ thread }} />
    </header>
  )
}

const isRefusedReply = (refused: PageFacts['refused'], id: number | undefined): boolean =>
  refused !== undefined && refused.action.endsWith('/files/reviews/comments') && refused.values['reply'] === id

const ThreadBody = (props: ThreadProps) => {
  const { thread, repository, issue, isAlone } = props
  const [first] = thread.comments
  const { refused } = usePage()
  return (
    <>
      {isAlone ? <PatchLines patch={first?.row.patch ?? ''} /> : null}
      {thread.comments.map((comment) => (
        <ThreadComment {...props} comment={comment} />
      ))}
      {props.mayReply || props.mayResolve ? (
        <div class="thread-foot">
          {props.mayReply ? (
            <details class="thread-reply" open={isRefusedReply(refused, first?.row.id)}>
              <summary class="button plain small">{words.reply}</summary>
              <LineForm
                {...{ repository, index: issue.index, path: thread.path, side: thread.side }}
                lines={thread}
                replyTo={first?.row.id}
                hasPending={props.hasPending ?? false}
                uploadTo={uploadPath(repository, issue.index, props.may)}
                id={`reply-${first?.row.id}`}
                from={props.filePath === undefined ? 'conversation' : 'files'}
              />
            </details>
          ) : null}
          {props.mayResolve && first ? (
            <ActButton
              to={pullPath(repository, issue.index, 'conversations', first.row.id)}
              hidden={{ resolved: !thread.isResolved, from: props.filePath === undefined ? undefined : 'files' }}
              class="small"
              kind="quiet"
              icon={thread.isResolved ? 'sync' : 'check'}
              formClass="inline thread-resolve"
            >
              {thread.isResolved ? words.unresolve : words.resolve}
            </ActButton>
          ) : null}
        </div>
      ) : null}
    </>
  )
}

function ThreadComment({
  comment,
  repository,
  issue,
  filePath,
  may,
  editing,
  ...props
}: ThreadProps & { readonly comment: LineComment }) {
  const { row, author, isPending, files } = comment
  const at = (part: string) =>
    pathOf(repository.owner, repository.name, 'issues', issue.index, 'comments', row.id, part)
  const mayEdit = may.editComment(row)
  const anchor = anchorOf(row)
  return (
    <Comment
      anchor={anchor}
      author={author}
      authorName={row.original_author}
      createdUnix={row.created_unix}
      marks={isPending ? [{ text: words.pending, tone: 'warning' }] : []}
      html={props.texts.get(row.id) ?? ''}
      source={row.content}
      version={row.content_version}
      files={files}
      uploadTo={uploadPath(repository, issue.index, may)}
      reactions={{
        reactions: props.reactions.get(row.id) ?? [],
        to: may.comment && !isPending ? at('reactions') : undefined,
      }}
      repository={repository}
      pageTo={filePath ?? pullPath(repository, issue.index)}
      from={filePath === undefined ? undefined : 'files'}
      editTo={mayEdit ? at('content') : undefined}
      deleteTo={mayEdit ? at('delete') : undefined}
      historyTo={row.content_version > 0 && !isPending ? at('history') : undefined}
      tasksTo={mayEdit ? at('tasks') : undefined}
      isEditing={editing === anchor}
      mayQuote={props.mayReply}
    >
      {props.applicable.has(row.id) ? (
        <SuggestionActs
          {...{ repository, issue, row }}
          hasMore={props.applicable.size > 1}
          from={filePath === undefined ? undefined : 'files'}
        />
      ) : null}
    </Comment>
  )
}

/** The lines that a comment is about, as they were. */
const PatchLines = ({ patch }: { readonly patch: string }) => {
  const lines = patch.split('\n').slice(1)
  return lines.length === 0 ? null : (
    <pre class="thread-patch" tabIndex={0}>
      {lines.map((line) => (
        <span class={line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : undefined}>{`${line}\n`}</span>
      ))}
    </pre>
  )
}

const numeric = { inputmode: 'numeric', required: true, isTerse: true } as const

/** The form of a comment on a line. */
export const LineForm = ({
  repository,
  index,
  path,
  side,
  lines,
  replyTo,
  hasPending,
  id,
  frame,
  cancelTo,
  from,
  uploadTo,
  ...place
}: {
  readonly repository: RepositoryAddress
  readonly index: number
  readonly path: string
  readonly side: 'old' | 'new'
  readonly lines: { readonly firstLine: number; readonly line: number }
  /** Id of a comment on the same lines, which cannot be changed. */
  readonly replyTo?: number | undefined
  /** The viewer has begun a review, which every comment belongs to. */
  readonly hasPending: boolean
  readonly id: string
  /** Id of the frame that shows the answer. */
  readonly frame?: string
  readonly cancelTo?: string
  /** The line at which the form is open, such as `3-R12`, and how the page shows lines. */
  readonly open?: string | undefined
  readonly style?: string | undefined
  readonly whitespace?: string | undefined
  /** The page that the form leads back to; the default is the changed files. */
  readonly from?: 'files' | 'conversation'
  /** Path that takes dropped files. */
  readonly uploadTo: string | undefined
}) => {
  const isSuggesting = replyTo === undefined && side === 'new' && frame !== undefined
  return (
    <Form
      to={pullPath(repository, index, 'files/reviews/comments')}
      class="stack line-form"
      label={words.lineText(path, lines)}
      hidden={{ path: pathField(path), from, ...(replyTo === undefined ? { side } : { reply: replyTo }), ...place }}
      {...(frame === undefined ? {} : { 'data-turbo-frame': frame })}
    >
      {replyTo !== undefined ? null : (
        <div class="line-range">
          <Field name="first" id={`${id}-first`} label={words.firstLine} value={String(lines.firstLine)} {...numeric} />
          <Field name="line" id={`${id}-last`} label={words.lastLine} value={String(lines.line)} {...numeric} />
        </div>
      )}
      <Editor
        name="content"
        id={id}
        label={words.lineText(path, lines)}
        rows={4}
        required
        autofocus={frame !== undefined}
        repository={repository}
        hint={words.suggestHint}
        uploadTo={uploadTo}
        tools={
          isSuggesting ? (
            <button
              type="button"
              class="button quiet icon-only small"
              title={words.suggest}
              aria-label={words.suggest}
              data-suggest=""
              data-problem={words.suggestProblem}
            >
              <Icon name="file-diff" />
            </button>
          ) : undefined
        }
      >
        {isSuggesting ? <p class="wrong small" role="alert" data-suggest-problem="" /> : null}
      </Editor>
      <div class="form-acts end">
        {cancelTo === undefined ? null : (
          <Link class="button quiet" to={cancelTo} {...(frame === undefined ? {} : { 'data-turbo-frame': frame })}>
            {words.cancel}
          </Link>
        )}
        {hasPending ? null : (
          <Submit kind="plain" name="mode" value="single">
            {words.commentNow}
          </Submit>
        )}
        <Submit kind="plain" name="mode" value="review">
          {hasPending ? words.addToReview : words.startReview}
        </Submit>
      </div>
    </Form>
  )
}
