import { Type, type Static } from 'typebox'
import { dateTime, enumeration, nullable, object } from '../http/schema.ts'

/** An event with ids but without content: clients read the content with their own access. Not part of the contract. */
export const FeedEntry = object('FeedEntry', {
  /** Identifies the event in repeated deliveries. */
  id: Type.Integer(),
  /** The value of `after` that continues behind this event. */
  cursor: Type.String(),
  kind: Type.String(),
  at: dateTime(),
  actor: nullable(Type.Object({ id: Type.Integer(), login: Type.String() })),
  repository: nullable(Type.Object({ id: Type.Integer(), full_name: Type.String(), url: Type.String() })),
  issue: nullable(
    Type.Object({
      id: Type.Integer(),
      type: enumeration('issue', 'pull'),
      /** Null for a deleted issue, except in `issue.deleted`. */
      number: nullable(Type.Integer()),
      url: nullable(Type.String()),
    }),
  ),
  /** The ids in the event's data, by member name. */
  ids: Type.Record(Type.String(), Type.Integer()),
})
export type FeedEntry = Static<typeof FeedEntry>

/** A page of events and the cursor of the next page. Not part of the contract. */
export const FeedPage = object('FeedPage', {
  events: Type.Array(FeedEntry),
  cursor: Type.String(),
  has_more: Type.Boolean(),
})
export type FeedPage = Static<typeof FeedPage>
