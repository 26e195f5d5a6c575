import { NotAcceptable } from '../../lib/errors.ts'
import type { RepoId } from '../../lib/ids.ts'
import { parseTimeMs } from '../time.rules.ts'
import { parseAddress, parsePlainAddress } from '../address.rules.ts'
import { idOf, textOf, type Document } from '../document.rules.ts'
import { wordTable } from '../../lib/word-table.ts'

/** A like whose members are there; what they name is looked at later (contract, federation: ForgeLike). */
export interface Like {
  readonly actor: string
  readonly object: string
  readonly startMs: number
}

const refuse = (message: string, code = 'like_invalid'): NotAcceptable => new NotAcceptable(message, code)

/** Later than this a like cannot have begun, in milliseconds: clocks differ, but a day of next year would shut out all others. */
const maxAheadMs = 3_600_000

/** Throws NotAcceptable, naming the first member that is missing or of another form. */
export function readLike(activity: Document, nowMs: number): Like {
  const actor = idOf(activity['actor'])
  const object = idOf(activity['object'])
  if (actor === undefined || actor === '') throw refuse('[actor]: is required')
  if (object === undefined || object === '') throw refuse('[object]: is required')
  const startMs = parseTimeMs(textOf(activity, 'startTime', 64) ?? '')
  if (startMs === undefined || startMs <= 0) throw refuse('[startTime]: must be a time (RFC 3339)')
  if (startMs > nowMs + maxAheadMs) throw refuse('[startTime]: is in the future')
  if (!parseAddress(actor)) throw refuse('[actor]: is no address')
  return { actor, object, startMs }
}

/** Programs whose people may like what is here; the paths of actors are known of some. */
const programs = wordTable<'forge' | 'other'>({
  forgejo: 'forge',
  ingot: 'forge',
  gitea: 'other',
  mastodon: 'other',
  gotosocial: 'other',
})

/** Throws NotAcceptable for an actor that is no person of a program that is known. */
export function checkLiker(actor: string, software: string): void {
  const url = parsePlainAddress(actor)
  if (!url) throw refuse('[actor]: must be an address without query and fragment')
  const kind = Object.hasOwn(programs, software) ? programs[software] : undefined
  if (kind === undefined) throw refuse(`likes of ${software} are not accepted`, 'software_unknown')
  if (kind === 'forge' && !/(?:^|\/)api\/(?:v1\/)?activitypub\/user-id\/\d+$/.test(url.pathname)) {
    throw refuse('[actor]: must be a person')
  }
}

/** Throws NotAcceptable for an object that is not this repository. The host is not compared: it may be known by several. */
export function checkLiked(object: string, repoId: RepoId): void {
  const id = /(?:^|\/)api\/(?:v1\/)?activitypub\/repository-id\/(\d+)$/.exec(
    parsePlainAddress(object)?.pathname ?? '',
  )?.[1]
  if (id === undefined) throw refuse('[object]: must be a repository')
  if (id !== String(repoId)) throw refuse('[object]: must be the repository whose inbox this is')
}
