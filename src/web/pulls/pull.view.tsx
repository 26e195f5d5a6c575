import type { VNode } from 'preact'
import type { TimelineEntry, TimelinePart } from '../../issues/timeline/timeline-view.service.ts'
import type { MergeState } from '../../pulls/merge/merge-state.service.ts'
import type { PullView } from '../../pulls/pull-view.service.ts'
import type { PullReviews } from '../../pulls/reviews/thread.service.ts'
import { EventEntry, groupEntries } from '../frames/event.view.tsx'
import { Comment, Earlier, TimelineEvent } from '../frames/timeline.view.tsx'
import { Editor } from '../ui/editor.tsx'
import { ActButton, Field, Form, Submit } from '../ui/form.tsx'
import { LabelTag } from '../ui/label.tsx'
import { ButtonLink, Link } from '../ui/link.tsx'
import { Tag } from '../ui/parts.tsx'
import { Person } from '../ui/person.tsx'
import { pathOf, withQuery } from '../ui/paths.ts'
import { MergeBox } from './merge-box.view.tsx'
import { PullHead } from './pull-head.view.tsx'
import { pullPath, type Place } from './pull-paths.ts'
import { texts } from './texts.tsx'
import { ThreadView } from './thread.view.tsx'

interface PullPageProps {
  readonly place: Place
  readonly view: PullView
  readonly mayEdit: boolean
  readonly timeline: TimelinePart
  readonly reviews: PullReviews
  readonly state: MergeState | undefined
  /** Rendered texts by id of the comment; 0 is the text of the pull request. */
  readonly html: ReadonlyMap<number, string>
  readonly hasLater: boolean
  readonly isSignedIn: boolean
  readonly mayCancel: boolean
}

/** The conversation of a pull request: its text, what happened, what blocks the merge, and people at the side. */
export function PullPageView(props: PullPageProps) {
  const { place, view, mayEdit, timeline, html, isSignedIn } = props
  const { issue } = view.pair
  return (
    <>
      <PullHead {...{ place, view, mayEdit }} tab="conversation" />
      <div class="with-side">
        <div class="timeline">
          {timeline.earlier === 0 ? (
            <Comment
              anchor={`issue-${issue.id}`}
              author={view.poster}
              authorName={issue.original_author}
              verb={texts.opened}
              createdUnix={issue.created_unix}
              marks={[{ text: texts.author, title: texts.authorTitle }]}
              html={html.get(0) ?? ''}
              source={issue.content}
              version={issue.content_version}
              repository={place}
            />
          ) : null}
          <Earlier count={timeline.earlier} before={timeline.first} hasLater={props.hasLater} />
          {groupEntries(timeline.entries).map((group) => (
            <Entry {...props} group={group} />
          ))}
          <MergeBox {...props} />
          {isSignedIn ? (
            <CommentForm {...props} />
          ) : (
            <ButtonLink to={withQuery('/user/login', { redirect_to: pullPath(place, issue.index) })}>
              {texts.signIn}
            </ButtonLink>
          )}
        </div>
        <PullSide {...props} />
      </div>
    </>
  )
}

const reviewLooks = {
  approve: ['check', 'good'],
  reject: ['x', 'danger'],
  comment: ['eye', 'neutral'],
  pending: ['hourglass', 'warning'],
  request: ['eye', 'neutral'],
} as const

function Entry({ group, ...props }: PullPageProps & { readonly group: readonly TimelineEntry[] }): VNode | null {
  const [entry] = group
  const { place, html, view } = props
  if (!entry) return null
  const { row } = entry
  if (row.type === 'comment') {
    return (
      <Comment
        anchor={`issuecomment-${row.id}`}
        author={entry.poster}
        authorName={row.original_author}
        createdUnix={row.created_unix}
        marks={row.poster_id === view.pair.issue.poster_id ? [{ text: texts.author, title: texts.authorTitle }] : []}
        html={html.get(row.id) ?? ''}
        source={row.content}
        version={row.content_version}
        files={entry.files}
        repository={place}
      />
    )
  }
  return row.type === 'review' ? <ReviewEntry {...props} entry={entry} /> : <EventEntry group={group} place={place} />
}

function ReviewEntry({ entry, ...props }: PullPageProps & { readonly entry: TimelineEntry }) {
  const { reviews, html, place, view } = props
  const { row } = entry
  const review = reviews.reviews.find((each) => each.id === row.review_id)
  if (!review) return null
  const [icon, tone] = reviewLooks[review.type]
  const threads = reviews.threads.filter((thread) => thread.comments[0]?.row.review_id === review.id)
  // An account that adds to its pending review has several entries; the last one shows the review.
  return (
    <div class="review-entry" id={`issuecomment-${row.id}`}>
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
      {row.content === '' ? null : (
        <div class="review-text markdown" dangerouslySetInnerHTML={{ __html: html.get(row.id) ?? '' }} />
      )}
      {threads.map((thread) => (
        <ThreadView
          {...{ thread, html, place, index: view.pair.issue.index }}
          isAlone
          mayReply={false}
          mayApply={props.mayEdit}
        />
      ))}
    </div>
  )
}

const CommentForm = ({ place, view, mayEdit }: PullPageProps) => {
  const { issue, pull } = view.pair
  const at = (part: string) => pullPath(place, issue.index, part)
  return (
    <>
      <Form to={at('comments')} class="stack comment-form">
        <Editor name="content" label={texts.commentText} placeholder={texts.commentText} repository={place} required />
        <div class="form-acts end">
          {mayEdit && !pull.is_merged ? (
            <Submit kind="plain" form="pull-state">
              {issue.is_closed ? texts.reopen : texts.close}
            </Submit>
          ) : null}
          <Submit kind="plain">{texts.comment}</Submit>
        </div>
      </Form>
      {mayEdit && !pull.is_merged ? (
        <Form to={at('state')} id="pull-state" hidden={{ state: issue.is_closed ? 'open' : 'closed' }}>
          {null}
        </Form>
      ) : null}
    </>
  )
}

const PullSide = ({ place, view, reviews, mayEdit, isSignedIn }: PullPageProps) => {
  const { issue, pull } = view.pair
  const to = pullPath(place, issue.index, 'reviewers')
  const isOpen = !issue.is_closed
  // Whoever has only commented is a reviewer too.
  const reviewed = reviews.reviews.flatMap((review) =>
    review.type === 'comment' && review.reviewer_id !== issue.poster_id
      ? (reviews.people.get(review.reviewer_id ?? 0) ?? [])
      : [],
  )
  const people = [...new Map([...view.reviewers, ...reviewed].map((person) => [person.id, person])).values()]
  const newest = (id: number) =>
    reviews.reviews.findLast((review) => review.reviewer_id === id && review.type !== 'pending')
  return (
    <aside class="side">
      <section>
        <h2>{texts.reviewers}</h2>
        <ul class="side-list">
          {people.map((person) => {
            const review = newest(person.id)
            const isAsked = review?.type === 'request'
            return (
              <li>
                <Person person={person} />
                <span
                  class={`small ${review?.type === 'approve' ? 'good-text' : review?.type === 'reject' ? 'danger-text' : 'muted'}`}
                >
                  {review ? texts.reviewStates[review.type] : ''}
                </span>
                {isSignedIn && isOpen ? (
                  <ActButton
                    to={to}
                    hidden={{ [isAsked ? 'remove' : 'reviewer']: person.name }}
                    kind="quiet"
                    class="icon-only small"
                    icon={isAsked ? 'x' : 'sync'}
                    title={isAsked ? texts.withdraw(person.name) : texts.askAgain(person.name)}
                    aria-label={isAsked ? texts.withdraw(person.name) : texts.askAgain(person.name)}
                  />
                ) : null}
              </li>
            )
          })}
          {view.teams.map((team) => (
            <li>{team.name}</li>
          ))}
          {people.length + view.teams.length === 0 ? <li class="muted">{texts.noReviewers}</li> : null}
        </ul>
        {isSignedIn && isOpen ? (
          <Form to={to} class="side-form">
            <Field name="reviewer" label={texts.reviewer} placeholder={texts.reviewer} isLabelHidden isTerse required />
            <Submit kind="plain">{texts.ask}</Submit>
          </Form>
        ) : null}
      </section>
      <section>
        <h2>{texts.assignees}</h2>
        <ul class="side-list">
          {view.assignees.map((person) => (
            <li>
              <Person person={person} />
            </li>
          ))}
          {view.assignees.length === 0 ? <li class="muted">{texts.none}</li> : null}
        </ul>
      </section>
      <section>
        <h2>{texts.labels}</h2>
        <p class="side-labels">
          {view.labels.map((label) => (
            <LabelTag label={label} />
          ))}
          {view.labels.length === 0 ? <span class="muted">{texts.none}</span> : null}
        </p>
      </section>
      <section>
        <h2>{texts.milestone}</h2>
        {view.milestone ? (
          <Link to={pathOf(place.owner, place.name, 'milestone', view.milestone.id)}>{view.milestone.title}</Link>
        ) : (
          <p class="muted">{texts.none}</p>
        )}
      </section>
      {mayEdit && isOpen && !pull.is_merged ? (
        <section>
          <ActButton
            to={pullPath(place, issue.index, 'draft')}
            hidden={{ draft: !view.isDraft }}
            kind="quiet"
            class="small"
            icon={view.isDraft ? 'git-pull-request' : 'git-pull-request-draft'}
          >
            {view.isDraft ? texts.ready : texts.toDraft}
          </ActButton>
        </section>
      ) : null}
    </aside>
  )
}
