import type { TimelineEntry } from '../../issues/timeline/timeline-view.service.ts'
import { EventEntry, groupEntries } from '../shared/timeline/event.view.tsx'
import { ConversationFrame } from '../shared/conversation-frame.view.tsx'
import { Earlier, QuoteKey } from '../shared/timeline/timeline.view.tsx'
import { Editor } from '../ui/editor.tsx'
import { Submit } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'
import { Icon } from '../ui/icon.tsx'
import { Link } from '../ui/link.tsx'
import { State, Tag } from '../ui/parts.tsx'
import { Person } from '../ui/person.tsx'
import { usePage } from '../ui/page-context.ts'
import { siteHref } from '../ui/paths.ts'
import { uiTexts as common } from '../languages/texts.ts'
import { Time } from '../ui/time.tsx'
import { TitleText } from '../ui/title-text.tsx'
import { CommentEntry, CommentNote, OpeningText } from './comment.view.tsx'
import { IssueSide } from './side.view.tsx'
import { issueTexts } from '../languages/texts.ts'
import { issueAt, livePath, type ConversationProps } from './issue-props.ts'

const texts = issueTexts.issue

/** An issue with its conversation. */
export function IssueView(props: ConversationProps) {
  const { repository, issue } = props
  const { config, viewer } = usePage()
  return (
    <ConversationFrame
      to={issueAt(repository, issue)()}
      name={`${repository.owner.name}/${repository.repo.name} #${issue.index}`}
    >
      <div class="issue" {...(viewer ? { 'data-live': siteHref(config, livePath(repository, issue)) } : {})}>
        <IssueHead {...props} />
        <div class="with-side">
          <div class="timeline">
            <OpeningText {...props} />
            <Earlier count={props.timeline.earlier} before={props.timeline.first} hasLater={props.isEarlier} />
            <div class="timeline" id="timeline">
              {groupEntries(props.timeline.entries).map((group) => (
                <Entry {...props} group={group} />
              ))}
            </div>
            {props.isEarlier ? null : <CommentForm {...props} />}
            {props.may.comment && !props.isEarlier ? <QuoteKey /> : null}
          </div>
          <IssueSide {...props} />
        </div>
      </div>
    </ConversationFrame>
  )
}

const IssueHead = ({ repository, issue, around, may, editing }: ConversationProps) => {
  const at = issueAt(repository, issue)
  const { refused } = usePage()
  const poster = around.users.get(issue.poster_id)
  const isEditing = may.edit && (editing === 'title' || refused?.action === at('title'))
  return (
    <header class="issue-head">
      {isEditing ? (
        <Form isEdit to={at('title')} class="fields-row">
          <Field name="title" label={texts.title} value={issue.title} required isLabelHidden isProse autofocus />
          <Submit>{texts.save}</Submit>
          <Link class="button quiet" to={at()}>
            {common.cancel}
          </Link>
        </Form>
      ) : (
        <h1>
          <TitleText text={issue.title} />{' '}
          <span class="nowrap">
            <span class="number">#{issue.index}</span>
            {may.edit ? (
              <Link
                class="button quiet icon-only small"
                to={`${at()}?edit=title`}
                aria-label={texts.edit}
                title={texts.edit}
              >
                <Icon name="pencil" />
              </Link>
            ) : null}
          </span>
        </h1>
      )}
      <p class="facts">
        {issue.is_closed ? (
          <State tone="done" icon="issue-closed">
            {texts.state.closed}
          </State>
        ) : (
          <State tone="good" icon="issue-opened">
            {texts.state.open}
          </State>
        )}
        {issue.is_locked ? (
          <Tag icon="lock" title={issueTexts.locked}>
            {texts.isLocked}
          </Tag>
        ) : null}
        <span>
          {poster ? <Person person={poster} withPicture={false} /> : issue.original_author} {issueTexts.opened}{' '}
          <Time unix={issue.created_unix} />
          <span class="wide-only"> · {texts.facts(issue.num_comments)}</span>
        </span>
      </p>
    </header>
  )
}

const Entry = (props: ConversationProps & { readonly group: readonly TimelineEntry[] }) => {
  const { repository, group } = props
  const [entry] = group
  return entry?.row.type === 'comment' ? (
    <CommentEntry {...props} entry={entry} />
  ) : (
    <EventEntry group={group} repository={{ owner: repository.owner.name, name: repository.repo.name }} />
  )
}

const CommentForm = ({ repository, issue, may }: ConversationProps) => {
  const { url } = usePage()
  const at = issueAt(repository, issue)
  if (may.refusal) return <CommentNote refusal={may.refusal} back={url} />
  return (
    <Form to={at('comments')} class="comment-form stack" label={texts.commentLabel}>
      <Editor
        name="content"
        id="new_comment"
        label={texts.commentLabel}
        placeholder={texts.commentHint}
        repository={{ owner: repository.owner.name, name: repository.repo.name }}
        uploadTo={may.attach ? at('attachments') : undefined}
      />
      <div class="form-acts end">
        {may.edit ? (
          <Submit
            kind="plain"
            name="state"
            value={issue.is_closed ? 'open' : 'closed'}
            icon={issue.is_closed ? 'issue-opened' : 'issue-closed'}
          >
            {issue.is_closed ? texts.reopen : texts.close}
          </Submit>
        ) : null}
        <Submit>{texts.comment}</Submit>
      </div>
    </Form>
  )
}
