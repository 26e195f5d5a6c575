import { Type, type Static } from 'typebox'
import { dateTime, object } from '../../http/schema.ts'
import { User } from '../../users/user.schemas.ts'

/** What somebody on another server told. */
export const FederatedActivity = object('FederatedActivity', {
  id: Type.Integer(),
  actor: User,
  /** The name of the activity: `Create`, `Announce`, `Like` … */
  type: Type.String(),
  object_type: Type.String(),
  object_url: Type.String(),
  title: Type.String(),
  /** Clean HTML. */
  content: Type.String(),
  /** Where people read it. */
  html_url: Type.String(),
  /** Whether it was sent to the reader alone. */
  direct: Type.Boolean(),
  published_at: dateTime(),
})
export type FederatedActivity = Static<typeof FederatedActivity>
