import { Type, type Static } from 'typebox'
import { dateTime, enumeration, nullable, object } from '../http/schema.ts'
import { threadReasons } from '../db/tables/notifications.ts'
import { Repository } from '../repos/repo.schemas.ts'

export const NotificationSubject = object('NotificationSubject', {
  title: Type.String(),
  url: Type.String(),
  latest_comment_url: Type.String(),
  html_url: Type.String(),
  latest_comment_html_url: Type.String(),
  type: enumeration('Issue', 'Pull', 'Commit', 'Repository'),
  state: enumeration('open', 'closed', 'merged', ''),
})
export type NotificationSubject = Static<typeof NotificationSubject>

export const NotificationThread = object('NotificationThread', {
  id: Type.Integer(),
  repository: nullable(Repository),
  subject: nullable(NotificationSubject),
  unread: Type.Boolean(),
  pinned: Type.Boolean(),
  updated_at: dateTime(),
  url: Type.String(),
  /** Why the caller hears of the subject. */
  reason: enumeration(...threadReasons),
})
export type NotificationThread = Static<typeof NotificationThread>

export const NotificationCount = object('NotificationCount', { new: Type.Integer() })
