import type { TimelineEntry } from '../../issues/timeline/timeline-view.service.ts'
import { Comment } from '../shared/timeline/timeline.view.tsx'
import { timelineTexts } from '../languages/texts.ts'
import { Link } from '../ui/link.tsx'
import { usePage } from '../ui/page-context.ts'
import { withQuery } from '../ui/paths.ts'
import { conversationPath, issueAt, type ConversationProps } from './issue-props.ts'
import { issueTexts } from '../languages/texts.ts'

/** The text of an issue or pull request with what the viewer may do with it. */
export const OpeningText = (props: ConversationProps) => {
  const { repository, issue, around, may, editing } = props
  const { refused } = usePage()
  const at = issueAt(repository, issue)
  const anchor = `issue-${issue.index}`
  return (
    <Comment
      anchor={anchor}
      author={around.users.get(issue.poster_id)}
      authorName={issue.original_author}
      verb={issueTexts.opened}
      createdUnix={issue.created_unix}
      html={props.texts.get(0) ?? ''}
      source={issue.content}
      version={issue.content_version}
      files={props.files}
      reactions={{ reactions: props.reactions.get(0) ?? [], to: may.comment ? at('reactions') : undefined }}
      repository={{ owner: repository.owner.name, name: repository.repo.name }}
      pageTo={refused ? conversationPath(repository, issue) : undefined}
      editTo={may.edit ? at('content') : undefined}
      historyTo={issue.content_version > 0 ? at('history') : undefined}
      tasksTo={may.edit ? at('tasks') : undefined}
      uploadTo={may.attach ? at('attachments') : undefined}
      removeFileTo={may.edit ? (id) => at('attachments', id, 'delete') : undefined}
      isEditing={editing === anchor}
      mayQuote={may.comment && !props.isEarlier}
    />
  )
}

/** A comment of the conversation with what the viewer may do with it. */
export const CommentEntry = ({
  mayDelete = true,
  ...props
}: ConversationProps & { readonly entry: TimelineEntry; readonly mayDelete?: boolean }) => {
  const { repository, issue, may, entry, editing } = props
  const { refused } = usePage()
  const at = issueAt(repository, issue)
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
      repository={{ owner: repository.owner.name, name: repository.repo.name }}
      pageTo={refused ? conversationPath(repository, issue) : undefined}
      editTo={mayEdit ? to('content') : undefined}
      deleteTo={mayEdit && mayDelete ? to('delete') : undefined}
      historyTo={row.content_version > 0 ? to('history') : undefined}
      tasksTo={mayEdit ? to('tasks') : undefined}
      uploadTo={may.attach ? at('attachments') : undefined}
      isEditing={editing === anchor}
      mayQuote={may.comment && !props.isEarlier}
    />
  )
}

/**
 * Stands for the form of those who may not comment: the way to sign in, or the reason.
 * @param back the page to return to after signing in
 */
export const CommentNote = ({
  refusal,
  back,
}: {
  /** Code of a denial. */
  readonly refusal: string
  readonly back: string
}) => (
  <p class="comment-note">
    {refusal === 'signed_out' ? (
      <>
        <Link to={withQuery('/user/login', { redirect_to: back })}>{issueTexts.issue.signIn}</Link>{' '}
        {issueTexts.issue.signInTo}
      </>
    ) : (
      issueTexts.issue.refusal[refusal]
    )}
  </p>
)
