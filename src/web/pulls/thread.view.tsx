import type { Thread } from '../../pulls/reviews/thread.service.ts'
import { suggestedLines } from '../../pulls/reviews/suggestion.rules.ts'
import { Author } from '../frames/timeline.view.tsx'
import { Editor } from '../ui/editor.tsx'
import { ActButton, Form, Submit } from '../ui/form.tsx'
import { Link } from '../ui/link.tsx'
import { Markup, Tag } from '../ui/parts.tsx'
import { Time } from '../ui/time.tsx'
import { pullPath, type Place } from './pull-paths.ts'
import { texts } from './texts.tsx'

export interface ThreadProps {
  readonly thread: Thread
  /** Rendered texts by id of the comment. */
  readonly html: ReadonlyMap<number, string>
  readonly place: Place
  readonly index: number
  /** Shown outside of the difference, with the lines that it is about. */
  readonly isAlone?: boolean
  readonly mayReply: boolean
  /** The viewer may write to the head branch. */
  readonly mayApply: boolean
  readonly hasPending?: boolean
}

/** The comments on a line. */
export function ThreadView(props: ThreadProps) {
  const { thread, html, place, index, isAlone } = props
  const files = pullPath(place, index, 'files')
  return (
    <section class={`thread${isAlone ? ' alone' : ''}`} aria-label={texts.lineText(thread.path, thread.line)}>
      {isAlone ? (
        <header class="thread-head">
          <Link to={`${files}#issuecomment-${thread.comments[0]?.row.id}`} title={texts.seeInFiles}>
            <code>
              {thread.path}:{thread.line}
            </code>
          </Link>
          {thread.isOutdated ? <Tag tone="warning">{texts.outdated}</Tag> : null}
          {thread.isResolved ? <Tag tone="good">{texts.resolved}</Tag> : null}
        </header>
      ) : null}
      {isAlone ? <PatchLines patch={thread.comments[0]?.row.patch ?? ''} /> : null}
      {thread.comments.map(({ row, author, isPending }) => (
        <article class="thread-comment" id={isAlone ? undefined : `issuecomment-${row.id}`}>
          <header>
            <Author person={author} name={row.original_author} size={20} />{' '}
            <span class="muted small">
              <Time unix={row.created_unix} />
            </span>{' '}
            {isPending ? <Tag tone="warning">{texts.pending}</Tag> : null}
            {!isAlone && thread.isOutdated ? <Tag tone="warning">{texts.outdated}</Tag> : null}
          </header>
          <Markup html={html.get(row.id) ?? ''} />
          {props.mayApply &&
          !thread.isOutdated &&
          thread.side === 'new' &&
          suggestedLines(row.content) !== undefined ? (
            <ActButton to={pullPath(place, index, 'suggestions', row.id)} class="small" icon="check">
              {texts.applySuggestion}
            </ActButton>
          ) : null}
        </article>
      ))}
      {props.mayReply ? (
        <details class="thread-reply">
          <summary class="small">{texts.reply}</summary>
          <LineForm
            {...{ place, index, path: thread.path, side: thread.side, line: thread.line }}
            hasPending={props.hasPending ?? false}
            id={`reply-${thread.comments[0]?.row.id}`}
          />
        </details>
      ) : null}
    </section>
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

/** The form of a comment on a line. */
export const LineForm = ({
  place,
  index,
  path,
  side,
  line,
  hasPending,
  id,
  frame,
  cancelTo,
}: {
  readonly place: Place
  readonly index: number
  readonly path: string
  readonly side: 'old' | 'new'
  readonly line: number
  /** The viewer has begun a review, which every comment belongs to. */
  readonly hasPending: boolean
  readonly id: string
  /** Id of the frame that shows the answer. */
  readonly frame?: string
  readonly cancelTo?: string
}) => (
  <Form
    to={pullPath(place, index, 'files/reviews/comments')}
    class="stack line-form"
    label={texts.lineText(path, line)}
    hidden={{ path, side, line }}
    {...(frame === undefined ? {} : { 'data-turbo-frame': frame })}
  >
    <Editor
      name="content"
      id={id}
      label={texts.lineText(path, line)}
      rows={4}
      required
      autofocus={frame !== undefined}
      repository={place}
      hint={texts.suggestHint}
    />
    <div class="form-acts end">
      {cancelTo === undefined ? null : (
        <Link class="button quiet" to={cancelTo} {...(frame === undefined ? {} : { 'data-turbo-frame': frame })}>
          {texts.cancel}
        </Link>
      )}
      {hasPending ? null : (
        <Submit kind="plain" name="mode" value="single">
          {texts.commentNow}
        </Submit>
      )}
      <Submit kind="plain" name="mode" value="review">
        {hasPending ? texts.addToReview : texts.startReview}
      </Submit>
    </div>
  </Form>
)
