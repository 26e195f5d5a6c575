import type { VNode } from 'preact'
import type { TimelineEntry } from '../../issues/timeline/timeline-view.service.ts'
import type { Thread } from '../../pulls/reviews/thread.service.ts'
import { EventEntry, groupEntries } from '../shared/timeline/event.view.tsx'
import { ConversationFrame } from '../shared/conversation-frame.view.tsx'
import { Earlier, QuoteKey, TimelineEvent } from '../shared/timeline/timeline.view.tsx'
import { CommentEntry, CommentNote, OpeningText } from '../issues/comment.view.tsx'
import { issueAt, livePath } from '../issues/issue-props.ts'
import { Editor } from '../ui/editor.tsx'
import { ActButton, Submit } from '../ui/button.tsx'
import { Form } from '../ui/form.tsx'
import { ButtonLink } from '../ui/link.tsx'
import { usePage } from '../ui/page-context.ts'
import { Tag } from '../ui/parts.tsx'
import { siteHref } from '../ui/paths.ts'
import { isWithoutBase, MergeBox, type MergeBoxProps } from './merge-box.view.tsx'
import { PullHead } from './pull-head.view.tsx'
import { pullPath } from './pull-paths.ts'
import { PullSide, type PullSideProps } from './pull-side.view.tsx'
import { pullTexts as texts } from '../languages/texts.ts'
import { SuggestionBar } from './suggestion.view.tsx'
import { ThreadView } from './thread.view.tsx'

interface PullPageProps extends PullSideProps, MergeBoxProps {
  readonly mayResolve: (thread: Thread) => boolean
  /** Ids of comments whose suggestions the viewer may commit. */
  readonly applicable: ReadonlySet<number>
}

/** The conversation of a pull request: its text, what happened, what blocks the merge, and people at the side. */
export function PullPageView(props: PullPageProps) {
  const { repository, view, mayEdit, conversation, lost } = props
  const { timeline, isEarlier, issue } = conversation
  const { config, viewer } = usePage()
  const live = viewer ? { 'data-live': siteHref(config, livePath(conversation.repository, issue)) } : {}
  return (
    <ConversationFrame
      to={pullPath(repository, issue.index)}
      name={`${repository.owner}/${repository.name} #${issue.index}`}
    >
      <div class="issue" {...live}>
        <PullHead {...{ repository, view, mayEdit, lost }} tab="conversation" />
        <div class="with-side">
          <div class="timeline">
            <OpeningText {...conversation} />
            <Earlier count={timeline.earlier} before={timeline.first} hasLater={isEarlier} />
            <div class="timeline" id="timeline">
              {groupEntries(timeline.entries).map((group) => (
                <Entry {...props} group={group} />
              ))}
            </div>
            <SuggestionBar {...{ repository }} index={issue.index} applicable={props.applicable} from={undefined} />
            {isEarlier ? null : <MergeBox {...props} />}
            {isEarlier ? null : <CommentForm {...props} />}
            {conversation.may.comment && !isEarlier ? <QuoteKey /> : null}
          </div>
          <PullSide {...props} />
        </div>
      </div>
    </ConversationFrame>
  )
}

const reviewLooks = {
  approve: ['check', 'good'],
  reject: ['file-diff', 'danger'],
  comment: ['eye', 'neutral'],
  pending: ['hourglass', 'warning'],
  request: ['eye', 'neutral'],
} as const

function Entry({ group, ...props }: PullPageProps & { readonly group: readonly TimelineEntry[] }): VNode | null {
  const [entry] = group
  if (entry?.row.type === 'comment') return <CommentEntry {...props.conversation} entry={entry} />
  return entry?.row.type === 'review' ? (
    <ReviewEntry {...props} entry={entry} />
  ) : (
    <EventEntry
      group={group}
      repository={props.repository}
      pushesTo={pullPath(props.repository, props.view.pair.issue.index, 'pushes')}
    />
  )
}

/** An account that adds to its pending review has several entries; the last one shows the review. */
const isLastOf = (reviewId: number, entry: TimelineEntry, entries: readonly TimelineEntry[]): boolean =>
  entries.findLast(({ row }) => row.type === 'review' && row.review_id === reviewId) === entry

function ReviewEntry({ entry, ...props }: PullPageProps & { readonly entry: TimelineEntry }) {
  const { reviews, repository, conversation } = props
  const { texts: html, reactions, may, issue, editing } = conversation
  const { viewer } = usePage()
  const { row } = entry
  const review = reviews.reviews.find((each) => each.id === row.review_id)
  if (!review || !isLastOf(review.id, entry, conversation.timeline.entries)) return null
  const [icon, tone] = reviewLooks[review.type]
  const threads = reviews.threads.filter((thread) => thread.comments[0]?.row.review_id === review.id)
  return (
    <div class="review-entry" id={row.content === '' ? `issuecomment-${row.id}` : undefined}>
      <TimelineEvent
        icon={icon}
        tone={tone}
        actor={entry.poster}
        actorName={row.original_author}
        unix={row.created_unix}
      >
        {texts.reviewed[review.type]} {review.is_dismissed ? <Tag>{texts.dismissed}</Tag> : null}
        {review.is_stale ? <Tag tone="warning">{texts.stale}</Tag> : null}{' '}
      </TimelineEvent>
      {row.content === '' ? null : <CommentEntry {...conversation} entry={entry} mayDelete={false} />}
      {threads.map((thread) => (
        <ThreadView
          {...{ thread, texts: html, reactions, repository, issue, may, editing }}
          isAlone
          mayReply={props.isSignedIn && may.comment}
          mayResolve={props.isSignedIn && viewer !== undefined && props.mayResolve(thread)}
          applicable={props.applicable}
          hasPending={reviews.pending !== undefined}
        />
      ))}
      {review.id === reviews.pending?.id ? <PendingNote {...props} /> : null}
    </div>
  )
}

/** Says that nobody else sees the review yet, and leads to where it is finished. */
const PendingNote = ({ repository, view, reviews }: PullPageProps) => {
  const at = (part: string) => pullPath(repository, view.pair.issue.index, part)
  return (
    <div class="pending-note">
      <p>{texts.pendingNote(reviews.pendingCount)}</p>
      <div class="acts">
        <ButtonLink to={at('files')} class="small" icon="eye">
          {texts.toReview}
        </ButtonLink>
        <ActButton to={at('files/reviews/discard')} kind="danger" class="small" confirm={texts.discardQuestion}>
          {texts.discardReview}
        </ActButton>
      </div>
    </div>
  )
}

const CommentForm = ({ repository, view, mayEdit, conversation, lost }: PullPageProps) => {
  const { issue, pull } = view.pair
  const { may } = conversation
  if (may.refusal) return <CommentNote refusal={may.refusal} back={pullPath(repository, issue.index)} />
  return (
    <Form to={pullPath(repository, issue.index, 'comments')} class="stack comment-form" label={texts.commentText}>
      <Editor
        name="content"
        id="new_comment"
        label={texts.commentText}
        placeholder={texts.commentHint}
        repository={repository}
        uploadTo={may.attach ? issueAt(conversation.repository, issue)('attachments') : undefined}
      />
      <div class="form-acts end">
        {mayEdit && !pull.is_merged ? (
          <Submit
            kind="plain"
            name="state"
            value={issue.is_closed ? 'open' : 'closed'}
            icon={issue.is_closed ? 'git-pull-request' : 'git-pull-request-closed'}
            disabledBecause={issue.is_closed && isWithoutBase({ lost }) ? texts.lost.noReopen : undefined}
          >
            {issue.is_closed ? texts.reopen : texts.close}
          </Submit>
        ) : null}
        <Submit kind="plain">{texts.comment}</Submit>
      </div>
    </Form>
  )
}
