import { Type, type Static } from 'typebox'
import { object } from '../../http/schema.ts'

const PublicKey = object('ActivityStreamsKey', {
  id: Type.String(),
  owner: Type.String(),
  publicKeyPem: Type.String(),
})

/** A local actor in the compacted form of JSON-LD. */
export const ActivityStreamsActor = object('ActivityStreamsActor', {
  '@context': Type.Array(Type.String()),
  id: Type.String(),
  type: Type.String(),
  name: Type.Optional(Type.String()),
  summary: Type.Optional(Type.String()),
  icon: Type.Optional(Type.Object({ type: Type.String(), mediaType: Type.String(), url: Type.String() })),
  url: Type.Optional(Type.String()),
  inbox: Type.Optional(Type.String()),
  outbox: Type.Optional(Type.String()),
  followers: Type.Optional(Type.String()),
  following: Type.Optional(Type.String()),
  preferredUsername: Type.Optional(Type.String()),
  endpoints: Type.Optional(Type.Object({ sharedInbox: Type.String() })),
  publicKey: Type.Optional(PublicKey),
})
export type ActivityStreamsActor = Static<typeof ActivityStreamsActor>

/** Any activity or object of ActivityStreams. */
export const ActivityStreamsObject = Type.Record(Type.String(), Type.Unknown(), { title: 'ActivityStreamsObject' })
export type ActivityStreamsObject = Static<typeof ActivityStreamsObject>

/** The answer of WebFinger (RFC 7033). */
export const WebFingerAnswer = object('WebFingerAnswer', {
  subject: Type.String(),
  aliases: Type.Array(Type.String()),
  links: Type.Array(
    Type.Object({ rel: Type.String(), type: Type.Optional(Type.String()), href: Type.Optional(Type.String()) }),
  ),
})
export type WebFingerAnswer = Static<typeof WebFingerAnswer>
