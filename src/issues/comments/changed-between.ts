import { Type } from 'typebox'
import { sentTime } from '../../lib/time.ts'
import type { ChangedBetween } from '../timeline-entry.store.ts'

/** Query parameters that limit a list of comments by the time of the last change. */
export const changedBetweenQuery = {
  since: Type.Optional(Type.String()),
  before: Type.Optional(Type.String()),
} as const

export const changedBetween = (query: { readonly since?: string; readonly before?: string }): ChangedBetween => ({
  sinceUnix: sentTime(query.since, 'since'),
  beforeUnix: sentTime(query.before, 'before'),
})
