import { Type, type Static } from 'typebox'
import { dateTime, enumeration, nullable, object } from '../http/schema.ts'

/** Something that happened, thin: what has changed is asked for where it is, with the reader's own access. Not part of the contract. */
export const FeedEntry = object('FeedEntry', {
  /** The same however often it is read. */
  id: Type.Integer(),
  /** What to ask `after` next. */
  cursor: Type.String(),
  kind: Type.String(),
  at: dateTime(),
  actor: nullable(Type.Object({ id: Type.Integer(), login: Type.String() })),
  repository: nullable(Type.Object({ id: Type.Integer(), full_name: Type.String(), url: Type.String() })),
  issue: nullable(
    Type.Object({
      id: Type.Integer(),
      type: enumeration('issue', 'pull'),
      /** Null where it is deleted, and this does not tell of that. */
      number: nullable(Type.Integer()),
      url: nullable(Type.String()),
    }),
  ),
  /** Ids of what else it is about, by the names of the event's members. */
  ids: Type.Record(Type.String(), Type.Integer()),
})
export type FeedEntry = Static<typeof FeedEntry>

/** A part of what happened, and where to go on. Not part of the contract. */
export const FeedPage = object('FeedPage', {
  events: Type.Array(FeedEntry),
  cursor: Type.String(),
  has_more: Type.Boolean(),
})
export type FeedPage = Static<typeof FeedPage>
