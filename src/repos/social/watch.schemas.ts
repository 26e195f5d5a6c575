import { Type, type Static } from 'typebox'
import { alwaysNull, dateTime, enumeration, object, requestObject } from '../../http/schema.ts'
import { watchLevels } from '../watch-level.ts'

export const WatchInfo = object('WatchInfo', {
  subscribed: Type.Boolean(),
  ignored: Type.Boolean(),
  reason: alwaysNull(),
  created_at: dateTime(),
  url: Type.String(),
  repository_url: Type.String(),
})
export type WatchInfo = Static<typeof WatchInfo>

export const WatchLevelInfo = object('WatchLevelInfo', { level: enumeration(...watchLevels) })

export const WatchLevelOption = requestObject('WatchLevelOption', { level: enumeration(...watchLevels) })
