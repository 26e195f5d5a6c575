import { Type, type Static } from 'typebox'
import { dateTime, object } from '../../http/schema.ts'
import { User } from '../../users/user.schemas.ts'

/** An activity of a remote account. */
export const FederatedActivity = object('FederatedActivity', {
  id: Type.Integer(),
  actor: User,
  /** Type of the activity: `Create`, `Announce`, `Like` … */
  type: Type.String(),
  object_type: Type.String(),
  object_url: Type.String(),
  title: Type.String(),
  /** Sanitised HTML. */
  content: Type.String(),
  /** Page of the object. */
  html_url: Type.String(),
  /** Whether it was sent only to the reader. */
  direct: Type.Boolean(),
  published_at: dateTime(),
})
export type FederatedActivity = Static<typeof FederatedActivity>
