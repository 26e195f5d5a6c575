import { Type, type Static } from 'typebox'
import { alwaysNull, dateTime, object } from '../../http/schema.ts'

export const WatchInfo = object('WatchInfo', {
  subscribed: Type.Boolean(),
  ignored: Type.Boolean(),
  reason: alwaysNull(),
  created_at: dateTime(),
  url: Type.String(),
  repository_url: Type.String(),
})
export type WatchInfo = Static<typeof WatchInfo>
