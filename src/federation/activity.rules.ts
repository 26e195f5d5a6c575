import type { UserId } from '../lib/ids.ts'
import { personUrl, publicAddress, type RootUrlConfig } from './address.rules.ts'

/** Outgoing activities in the compacted form of JSON-LD. */
const context = 'https://www.w3.org/ns/activitystreams'
const forgeContext = [context, 'https://forgefed.org/ns']

export interface Activity {
  readonly '@context': string | readonly string[]
  readonly id: string
  readonly type: string
  readonly actor: string
  readonly object: unknown
}

/** Returns the id of a follow of a remote account. */
export const followUrl = (config: RootUrlConfig, follower: UserId, followed: UserId, atMs: number): string =>
  `${personUrl(config, follower)}/follows/${followed}-${atMs}`

/** Returns the follow of a remote account by a local one. */
export const followActivity = (config: RootUrlConfig, follower: UserId, object: string, id: string): Activity => ({
  '@context': context,
  id,
  type: 'Follow',
  actor: personUrl(config, follower),
  object,
})

/** Returns the `Undo` of an activity. */
export const undoActivity = (activity: Activity): Activity => {
  const { '@context': written, ...object } = activity
  return { '@context': written, id: `${activity.id}/undo`, type: 'Undo', actor: activity.actor, object }
}

/** Returns the answer of a local account to a follow. */
export const answerActivity = (type: 'Accept' | 'Reject', actor: string, follow: object, name: string): Activity => ({
  '@context': context,
  id: `${actor}/answers/${name}`,
  type,
  actor,
  object: follow,
})

/** Returns the like of a remote repository by a local account (contract, federation: ForgeLike). */
export const likeActivity = (
  config: RootUrlConfig,
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

/** An act of an account as its remote followers get it. */
export interface PublicAct {
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

/** Returns the note about an act. */
export function actNote(config: RootUrlConfig, act: PublicAct) {
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

/** Returns the activity that announces an act. */
export function actActivity(config: RootUrlConfig, act: PublicAct) {
  const object = actNote(config, act)
  const { attributedTo: actor, to, cc, published, id } = object
  return { '@context': context, id: `${id}/activity`, type: 'Create', actor, to, cc, published, object }
}

/** A text by a local account. */
export interface Written {
  readonly id: string
  readonly author: string
  readonly to: readonly string[]
  /** Sanitised HTML. */
  readonly html: string
  readonly markdown: string
  /** RFC 3339. */
  readonly published: string
}

const contentOf = ({ html, markdown }: Written) => ({
  content: html,
  mediaType: 'text/html',
  source: { content: markdown, mediaType: 'text/markdown' },
})

/** Returns the note for a comment on an issue. */
export const noteOf = (note: Written & { readonly context: string; readonly page: string | undefined }) => ({
  id: note.id,
  type: 'Note',
  attributedTo: note.author,
  to: note.to,
  context: note.context,
  inReplyTo: note.context,
  ...(note.page === undefined ? {} : { url: note.page }),
  published: note.published,
  ...contentOf(note),
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

/** Returns the offer of an issue to a remote repository. */
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
    ...contentOf(ticket),
  },
  target: ticket.repository,
})

/** Returns the acceptance of an offered ticket, with the address of its issue. */
export const offerAnswer = (actor: string, offer: string, result: string): Activity & { readonly result: string } => ({
  '@context': forgeContext,
  id: `${result}/accepted`,
  type: 'Accept',
  actor,
  object: offer,
  result,
})
