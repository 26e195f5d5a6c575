import type { TimelineEntry } from '../../issues/timeline/timeline-view.service.ts'
import { EventEntry, groupEntries } from '../frames/event.view.tsx'
import { Comment, Earlier } from '../frames/timeline.view.tsx'
import { texts as timelineTexts } from '../frames/timeline-texts.tsx'
import { Editor } from '../ui/editor.tsx'
import { Field, Form, Submit } from '../ui/form.tsx'
import { Icon } from '../ui/icon.tsx'
import { Link } from '../ui/link.tsx'
import { State } from '../ui/parts.tsx'
import { Person } from '../ui/person.tsx'
import { usePage } from '../ui/page-context.ts'
import { siteHref } from '../ui/paths.ts'
import { texts as common } from '../ui/texts.tsx'
import { Time } from '../ui/time.tsx'
import { IssueSide } from './side.view.tsx'
import { texts as all } from './texts.tsx'
import { issueAt, type IssueProps } from './issue-props.ts'

const texts = all.issue

/** An issue with its conversation. */
export function IssueView(props: IssueProps) {
  const { place, issue } = props
  const { config, viewer } = usePage()
  const at = issueAt(place, issue)
  return (
    <div class="issue" {...(viewer ? { 'data-live': siteHref(config, at('live')) } : {})}>
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
        </div>
        <IssueSide {...props} />
      </div>
    </div>
  )
}

const IssueHead = ({ place, issue, around, may, editing }: IssueProps) => {
  const at = issueAt(place, issue)
  const { refused } = usePage()
  const poster = around.users.get(issue.poster_id)
  const isEditing = may.edit && (editing === 'title' || refused?.action === at('title'))
  return (
    <header class="issue-head">
      {isEditing ? (
        <Form to={at('title')} class="fields-row">
          <Field name="title" label={texts.title} value={issue.title} required isLabelHidden isProse autofocus />
          <Submit>{texts.save}</Submit>
          <Link class="button quiet" to={at()}>
            {common.cancel}
          </Link>
        </Form>
      ) : (
        <h1>
          {issue.title}{' '}
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
        <span>
          {poster ? <Person person={poster} withPicture={false} /> : issue.original_author} {all.opened}{' '}
          <Time unix={issue.created_unix} /> · {texts.facts(issue.num_comments)}
        </span>
      </p>
    </header>
  )
}

const OpeningText = (props: IssueProps) => {
  const { place, issue, around, may, editing } = props
  const { refused } = usePage()
  const at = issueAt(place, issue)
  const anchor = `issue-${issue.index}`
  return (
    <Comment
      anchor={anchor}
      author={around.users.get(issue.poster_id)}
      authorName={issue.original_author}
      verb={all.opened}
      createdUnix={issue.created_unix}
      html={props.texts.get(0) ?? ''}
      source={issue.content}
      version={issue.content_version}
      files={props.files}
      reactions={{ reactions: props.reactions.get(0) ?? [], to: may.comment ? at('reactions') : undefined }}
      repository={{ owner: place.owner.name, name: place.repo.name }}
      pageTo={refused ? at() : undefined}
      editTo={may.edit ? at('content') : undefined}
      historyTo={issue.content_version > 0 ? at('history') : undefined}
      tasksTo={may.edit ? at('tasks') : undefined}
      uploadTo={may.attach ? at('attachments') : undefined}
      removeFileTo={may.attach ? (id) => at('attachments', id, 'delete') : undefined}
      isEditing={editing === anchor}
    />
  )
}

const Entry = (props: IssueProps & { readonly group: readonly TimelineEntry[] }) => {
  const { place, issue, may, group, editing } = props
  const { refused } = usePage()
  const at = issueAt(place, issue)
  const [entry] = group
  if (entry?.row.type !== 'comment') {
    return <EventEntry group={group} place={{ owner: place.owner.name, name: place.repo.name }} />
  }
  const { row } = entry
  const mayEdit = may.editComment(row)
  const anchor = `issuecomment-${row.id}`
  const to = (part: string) => at('comments', row.id, part)
  return (
    <Comment
      anchor={anchor}
      author={entry.poster}
      authorName={row.original_author}
      createdUnix={row.created_unix}
      marks={
        row.poster_id === issue.poster_id && row.original_author === ''
          ? [{ text: timelineTexts.author, title: timelineTexts.authorTitle }]
          : []
      }
      html={props.texts.get(row.id) ?? ''}
      source={row.content}
      version={row.content_version}
      files={entry.files}
      reactions={{ reactions: props.reactions.get(row.id) ?? [], to: may.comment ? to('reactions') : undefined }}
      repository={{ owner: place.owner.name, name: place.repo.name }}
      pageTo={refused ? at() : undefined}
      editTo={mayEdit ? to('content') : undefined}
      deleteTo={mayEdit ? to('delete') : undefined}
      historyTo={row.content_version > 0 ? to('history') : undefined}
      tasksTo={mayEdit ? to('tasks') : undefined}
      uploadTo={may.attach ? at('attachments') : undefined}
      isEditing={editing === anchor}
    />
  )
}

const CommentForm = ({ place, issue, may }: IssueProps) => {
  const { viewer, url } = usePage()
  const at = issueAt(place, issue)
  if (!viewer) {
    return (
      <p class="comment-note">
        <Link to={`/user/login?redirect_to=${encodeURIComponent(url)}`}>{texts.signIn}</Link> {texts.signInTo}
      </p>
    )
  }
  if (!may.comment) return <p class="comment-note">{place.repo.is_archived ? texts.archived : texts.locked}</p>
  return (
    <Form to={at('comments')} class="comment-form stack" label={texts.commentLabel}>
      <Editor
        name="content"
        id="new_comment"
        label={texts.commentLabel}
        placeholder={texts.commentHint}
        repository={{ owner: place.owner.name, name: place.repo.name }}
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
        <Submit data-hotkey="Mod+Enter">{texts.comment}</Submit>
      </div>
    </Form>
  )
}
