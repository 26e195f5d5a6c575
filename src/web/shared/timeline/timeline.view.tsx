import type { ComponentChildren } from 'preact'
import type { UserRow } from '../../../db/tables/accounts.ts'
import type { AttachmentRow } from '../../../db/tables/issues.ts'
import type { Unix } from '../../../lib/time.ts'
import { Editor } from '../../ui/editor.tsx'
import { ActButton, Submit } from '../../ui/button.tsx'
import { Form } from '../../ui/form.tsx'
import { Icon } from '../../ui/icon.tsx'
import type { IconName } from '../../ui/icons.ts'
import { Link } from '../../ui/link.tsx'
import { usePage } from '../../ui/page-context.ts'
import { Markup, Menu, Tag, type Tone } from '../../ui/parts.tsx'
import { Avatar, Person } from '../../ui/person.tsx'
import { changedQuery, pathOf, siteHref } from '../../ui/paths.ts'
import { sizeText } from '../../languages/amounts.ts'
import { uiTexts as common } from '../../languages/texts.ts'
import { Time } from '../../ui/time.tsx'
import { Reactions, type ReactionsProps } from './reactions.view.tsx'
import { timelineTexts as texts } from '../../languages/texts.ts'

/** A text of a person: the beginning of an issue or pull request, a comment, or the summary of a review. */
export interface CommentProps {
  /** Id of the element, which addresses end with: `issuecomment-7`. */
  readonly anchor: string
  readonly author: UserRow | undefined
  /** The author's name on another server; empty for local authors. */
  readonly authorName?: string
  /** What the author did; the default is `commented`. */
  readonly verb?: ComponentChildren
  readonly createdUnix: Unix
  /** Words about the author, such as `Author`. */
  readonly marks?: readonly { readonly text: string; readonly title?: string; readonly tone?: Tone }[]
  /** Sanitised HTML. */
  readonly html: string
  readonly source: string
  /** Increases with each edit, which an edit of an older version is compared with. */
  readonly version: number
  readonly files?: readonly AttachmentRow[]
  readonly reactions?: ReactionsProps
  /** Path of the page; the default is the address of the request. */
  readonly pageTo?: string | undefined
  /** Sent with each form of the comment: where it is shown. */
  readonly from?: string | undefined
  /** Names of the repository, for the editor. */
  readonly repository: { readonly owner: string; readonly name: string }
  /** Paths of the acts that the viewer may use; undefined: the viewer may not. */
  readonly editTo?: string | undefined
  readonly deleteTo?: string | undefined
  readonly historyTo?: string | undefined
  /** Takes `position`, `checked` and `version` of a ticked task. */
  readonly tasksTo?: string | undefined
  readonly uploadTo?: string | undefined
  /** Deletes the attached file with this id. */
  readonly removeFileTo?: ((id: number) => string) | undefined
  /** The text is shown as a form. */
  readonly isEditing?: boolean
  /** The viewer may answer and quote it. */
  readonly mayQuote?: boolean
  /** Further items of its menu, as `<li>`. */
  readonly items?: ComponentChildren
  readonly children?: ComponentChildren
}

/** The name of an author, who may be on another server or deleted. */
export const Author = ({
  person,
  name = '',
  size = 24,
}: {
  readonly person: UserRow | undefined
  readonly name?: string
  readonly size?: 16 | 20 | 24
}) =>
  name !== '' ? (
    <span class="person">{name}</span>
  ) : person === undefined ? (
    <span class="person muted">{texts.ghost}</span>
  ) : (
    <Person person={person} size={size} />
  )

/** A comment with its author, text, files and reactions. Its edit form replaces the text in place. */
export function Comment(props: CommentProps) {
  const { anchor, author, authorName, verb = texts.wrote, createdUnix, marks = [], files = [], reactions } = props
  const { refused } = usePage()
  const isRefused = refused !== undefined && refused.action === props.editTo
  const isOutOfDate = isRefused && refused.status === 409
  // The first reaction is chosen in the head, so that a text without reactions has no line for them.
  const isReacted = reactions !== undefined && reactions.reactions.length > 0
  return (
    <turbo-frame id={anchor} target="_top" class="comment-frame">
      <article class="comment" data-comment={anchor}>
        <header class="comment-head">
          <Author person={author} {...(authorName === undefined ? {} : { name: authorName })} />
          <span class="muted">
            {verb}{' '}
            <a href={`#${anchor}`} class="quiet-link" data-turbo="false">
              <Time unix={createdUnix} />
            </a>
            {props.historyTo === undefined ? null : (
              <>
                {' · '}
                <Link to={props.historyTo} class="quiet-link" title={texts.editedTitle} data-turbo-frame="_top">
                  {texts.edited}
                </Link>
              </>
            )}
          </span>
          <span class="comment-marks">
            {marks.map(({ text, title, tone }) => (
              <Tag title={title} {...(tone ? { tone } : {})}>
                {text}
              </Tag>
            ))}
          </span>
          {isReacted || reactions === undefined ? null : <Reactions {...reactions} from={props.from} />}
          <CommentMenu {...props} />
        </header>
        {(props.isEditing || isRefused) && props.editTo !== undefined ? (
          <EditForm {...props} to={props.editTo} theirs={isOutOfDate ? props.source : undefined} />
        ) : (
          <div class="comment-body">
            <TaskText {...props} />
            <Files files={files} removeTo={props.removeFileTo} />
            {props.children}
          </div>
        )}
        {isReacted && reactions !== undefined ? <Reactions {...reactions} from={props.from} /> : null}
      </article>
    </turbo-frame>
  )
}

/** Id of the text of a comment with tasks, which scripts replace after a tick. */
export const taskTextId = (anchor: string): string => `${anchor}-tasks`

/** The text of a comment. Scripts make its task boxes work where the viewer may edit it. */
export const TaskText = ({
  anchor,
  html,
  tasksTo,
  version,
}: Pick<CommentProps, 'anchor' | 'html' | 'tasksTo' | 'version'>) => {
  const { config } = usePage()
  if (html === '') return <p class="muted">{texts.noText}</p>
  if (tasksTo === undefined || !html.includes('data-source-position')) return <Markup html={html} class="compact" />
  return (
    <div
      id={taskTextId(anchor)}
      data-tasks={siteHref(config, tasksTo)}
      data-version={version}
      data-problem={texts.taskUnsent}
    >
      <Markup html={html} class="compact" />
    </div>
  )
}

/** The key that quotes the comment with the focus or the selection. */
export const QuoteKey = () => <button type="button" hidden data-hotkey="r" data-quote="" />

const CommentMenu = (props: CommentProps) => {
  const { anchor, editTo, deleteTo, historyTo, items, pageTo, from, mayQuote = false } = props
  const { url } = usePage()
  const address = pageTo ?? url
  const hasItems = editTo !== undefined || deleteTo !== undefined || historyTo !== undefined || items !== undefined
  if (!hasItems && !mayQuote) return null
  return (
    <Menu
      label={<Icon name="kebab-horizontal" />}
      title={texts.acts}
      class={`icon-only comment-menu${hasItems ? '' : ' needs-script'}`}
      align="end"
      kind="quiet"
    >
      <ul>
        {mayQuote ? (
          <li class="needs-script">
            <button type="button" class="button quiet" data-quote="">
              <Icon name="quote" />
              {texts.quoteReply}
            </button>
          </li>
        ) : null}
        {editTo === undefined ? null : (
          <li>
            <Link to={`${changedQuery(address, { edit: anchor })}#${anchor}`} data-turbo-frame={anchor}>
              <Icon name="pencil" />
              {common.edit}
            </Link>
          </li>
        )}
        {historyTo === undefined ? null : (
          <li>
            <Link to={historyTo} data-turbo-frame="_top">
              <Icon name="history" />
              {texts.history}
            </Link>
          </li>
        )}
        {items}
        {deleteTo === undefined ? null : (
          <li>
            <ActButton
              to={deleteTo}
              hidden={{ from }}
              formClass=""
              kind="danger"
              icon="trash"
              confirm={texts.deleteQuestion}
            >
              {common.delete}
            </ActButton>
          </li>
        )}
      </ul>
    </Menu>
  )
}

const EditForm = ({
  to,
  anchor,
  source,
  version,
  theirs,
  repository,
  uploadTo,
  pageTo,
  from,
}: CommentProps & { readonly to: string; readonly theirs: string | undefined }) => {
  const { url } = usePage()
  return (
    <Form to={to} class="comment-edit stack" id={`${anchor}_form`} hidden={{ from }}>
      <input type="hidden" name="version" value={version} data-version="" />
      {theirs === undefined ? null : (
        <details open class="theirs">
          <summary>{texts.theirText}</summary>
          <pre>{theirs}</pre>
        </details>
      )}
      <Editor
        name="content"
        id={`${anchor}_text`}
        label={texts.text}
        value={source}
        rows={8}
        repository={repository}
        uploadTo={uploadTo}
        autofocus
      />
      <div class="form-acts end">
        <Link
          class="button quiet"
          to={`${changedQuery(pageTo ?? url, { edit: undefined })}#${anchor}`}
          data-turbo-frame={anchor}
        >
          {common.cancel}
        </Link>
        <Submit>{texts.save}</Submit>
      </div>
    </Form>
  )
}

const Files = ({
  files,
  removeTo,
}: {
  readonly files: readonly AttachmentRow[]
  readonly removeTo: ((id: number) => string) | undefined
}) =>
  files.length === 0 ? null : (
    <ul class="attached-files" aria-label={texts.files}>
      {files.map((file) => (
        <li>
          <Icon name="file" />
          <Link to={pathOf('attachments', file.uuid)} download={file.name} data-turbo="false">
            {file.name}
          </Link>
          <span class="muted">{sizeText(file.size_bytes)}</span>
          {removeTo === undefined ? null : (
            <ActButton
              to={removeTo(file.id)}
              kind="quiet"
              class="icon-only small"
              icon="x"
              aria-label={texts.removeFile(file.name)}
              title={texts.removeFile(file.name)}
              confirm={texts.removeFileQuestion(file.name)}
            />
          )}
        </li>
      ))}
    </ul>
  )

/** A line of a timeline: who did what, when. */
export const TimelineEvent = ({
  icon,
  tone = 'neutral',
  actor,
  actorName = '',
  unix,
  id,
  children,
  detail,
}: {
  readonly icon: IconName
  readonly tone?: Tone
  readonly actor: UserRow | undefined
  readonly actorName?: string
  readonly unix: Unix
  readonly id?: string
  /** What the person did. */
  readonly children: ComponentChildren
  /** A second line. */
  readonly detail?: ComponentChildren
}) => (
  <div class="event" id={id}>
    <span class={`event-icon ${tone}`}>
      <Icon name={icon} />
    </span>
    <div class="event-text">
      {actor ? <Avatar person={actor} size={16} /> : null}{' '}
      {actorName !== '' ? (
        <strong>{actorName}</strong>
      ) : actor ? (
        <Person person={actor} withPicture={false} isBrief />
      ) : (
        <span class="person">{texts.ghost}</span>
      )}{' '}
      {children} <Time unix={unix} />
      {detail === undefined ? null : <div class="event-detail">{detail}</div>}
    </div>
  </div>
)

/** The way to entries that the page leaves out: those before the shown ones, and back to the newest. */
export const Earlier = ({
  count,
  before,
  hasLater,
}: {
  /** The number of earlier entries. */
  readonly count: number
  /** Id of the first shown entry. */
  readonly before: number | undefined
  /** Whether the page shows entries before the newest. */
  readonly hasLater: boolean
}) => {
  const { url } = usePage()
  if (count === 0 && !hasLater) return null
  return (
    <div class="earlier">
      {count > 0 && before !== undefined ? (
        <Link class="button quiet" to={changedQuery(url, { before, edit: undefined })} rel="prev">
          <Icon name="unfold" />
          {texts.earlier(count)}
        </Link>
      ) : null}
      {hasLater ? (
        <Link class="button quiet" to={changedQuery(url, { before: undefined, edit: undefined })} rel="next">
          {texts.later}
        </Link>
      ) : null}
    </div>
  )
}
