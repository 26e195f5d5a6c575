import type { UserId } from '../lib/ids.ts'
import { personUrl, publicAddress, type HasRootUrl } from './address.rules.ts'

/** Activities of this instance, in the compacted form of JSON-LD. */
const context = 'https://www.w3.org/ns/activitystreams'
const forgeContext = [context, 'https://forgefed.org/ns']

export interface Activity {
  readonly '@context': string | readonly string[]
  readonly id: string
  readonly type: string
  readonly actor: string
  readonly object: unknown
}

/** The id of a follow of somebody elsewhere, at a time. */
export const followUrl = (config: HasRootUrl, follower: UserId, followed: UserId, atMs: number): string =>
  `${personUrl(config, follower)}/follows/${followed}-${atMs}`

/** Somebody here follows somebody elsewhere. */
export const followActivity = (config: HasRootUrl, follower: UserId, object: string, id: string): Activity => ({
  '@context': context,
  id,
  type: 'Follow',
  actor: personUrl(config, follower),
  object,
})

/** The actor takes an activity of its own back. */
export const undoActivity = (activity: Activity): Activity => {
  const { '@context': written, ...object } = activity
  return { '@context': written, id: `${activity.id}/undo`, type: 'Undo', actor: activity.actor, object }
}

/** Somebody here answers a follow. */
export const answerActivity = (type: 'Accept' | 'Reject', actor: string, follow: object, name: string): Activity => ({
  '@context': context,
  id: `${actor}/answers/${name}`,
  type,
  actor,
  object: follow,
})

/** Somebody here likes a repository elsewhere (contract, federation: ForgeLike). */
export const likeActivity = (
  config: HasRootUrl,
  liker: UserId,
  object: string,
  times: { readonly number: number; readonly startMs: number },
): Activity & { readonly startTime: string } => {
  const actor = personUrl(config, liker)
  return {
    '@context': forgeContext,
    id: `${actor}/likes/${times.number}`,
    type: 'Like',
    actor,
    object,
    startTime: new Date(times.startMs).toISOString(),
  }
}

/** What somebody did, as followers are told of it. */
export interface ToldAct {
  readonly id: number
  readonly actorId: UserId
  /** One line of plain text. */
  readonly title: string
  /** HTML. */
  readonly content: string
  readonly page: string
  /** RFC 3339. */
  readonly published: string
}

/** The note about an act. */
export function actNote(config: HasRootUrl, act: ToldAct) {
  const actor = personUrl(config, act.actorId)
  return {
    id: `${actor}/activities/${act.id}`,
    type: 'Note',
    attributedTo: actor,
    to: [publicAddress],
    cc: [`${actor}/followers`],
    published: act.published,
    url: act.page,
    content: act.content,
  }
}

/** The activity that tells of an act. */
export function actActivity(config: HasRootUrl, act: ToldAct) {
  const object = actNote(config, act)
  const { attributedTo: actor, to, cc, published, id } = object
  return { '@context': context, id: `${id}/activity`, type: 'Create', actor, to, cc, published, object }
}

/** A text that somebody here wrote. */
export interface Written {
  readonly id: string
  readonly author: string
  readonly to: readonly string[]
  /** Clean HTML. */
  readonly html: string
  readonly markdown: string
  /** RFC 3339. */
  readonly published: string
}

const words = ({ html, markdown }: Written) => ({
  content: html,
  mediaType: 'text/html',
  source: { content: markdown, mediaType: 'text/markdown' },
})

/** A comment on an issue. */
export const noteOf = (note: Written & { readonly context: string; readonly page: string | undefined }) => ({
  id: note.id,
  type: 'Note',
  attributedTo: note.author,
  to: note.to,
  context: note.context,
  inReplyTo: note.context,
  ...(note.page === undefined ? {} : { url: note.page }),
  published: note.published,
  ...words(note),
})

export const createActivity = (object: ReturnType<typeof noteOf>) => ({
  '@context': forgeContext,
  id: `${object.id}/activity`,
  type: 'Create',
  actor: object.attributedTo,
  to: object.to,
  published: object.published,
  object,
})

/** Somebody here offers a ticket to a repository elsewhere. */
export const offerActivity = (ticket: Written & { readonly title: string; readonly repository: string }) => ({
  '@context': forgeContext,
  id: `${ticket.id}/activity`,
  type: 'Offer',
  actor: ticket.author,
  to: ticket.to,
  object: {
    id: ticket.id,
    type: 'Ticket',
    attributedTo: ticket.author,
    summary: ticket.title,
    published: ticket.published,
    ...words(ticket),
  },
  target: ticket.repository,
})

/** An offered ticket became an issue here. */
export const offerAnswer = (actor: string, offer: string, result: string): Activity & { readonly result: string } => ({
  '@context': forgeContext,
  id: `${result}/accepted`,
  type: 'Accept',
  actor,
  object: offer,
  result,
})
