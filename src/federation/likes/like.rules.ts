import { NotAcceptable } from '../../lib/errors.ts'
import type { RepoId } from '../../lib/ids.ts'
import { parseTimeMs } from '../time.rules.ts'
import { parseAddress, parsePlainAddress } from '../address.rules.ts'
import { idOf, textOf, type Document } from '../document.rules.ts'
import { wordTable } from '../../lib/word-table.ts'

/** A like with all its members, before its actor and object are checked (contract, federation: ForgeLike). */
export interface Like {
  readonly actor: string
  readonly object: string
  readonly startMs: number
}

const refuse = (message: string, code = 'like_invalid'): NotAcceptable => new NotAcceptable(message, code)

/** How far `startTime` may lie in the future, in milliseconds: clocks differ, but a far future time would block all later likes. */
const maxAheadMs = 3_600_000

/** Reads a like. Throws `NotAcceptable`, which names the first missing or invalid member. */
export function readLike(activity: Document, nowMs: number): Like {
  const actor = idOf(activity['actor'])
  const object = idOf(activity['object'])
  if (actor === undefined || actor === '') throw refuse('[actor]: is required')
  if (object === undefined || object === '') throw refuse('[object]: is required')
  const startMs = parseTimeMs(textOf(activity, 'startTime', 64) ?? '')
  if (startMs === undefined || startMs <= 0) throw refuse('[startTime]: must be a time (RFC 3339)')
  if (startMs > nowMs + maxAheadMs) throw refuse('[startTime]: is in the future')
  if (!parseAddress(actor)) throw refuse('[actor]: must be an address')
  return { actor, object, startMs }
}

/** Software whose accounts may like repositories; the paths of actors are known for `forge`. */
const software = wordTable<'forge' | 'other'>({
  forgejo: 'forge',
  ingot: 'forge',
  gitea: 'other',
  mastodon: 'other',
  gotosocial: 'other',
})

/** Throws `NotAcceptable` unless the actor is a person on a server with known software. */
export function checkLiker(actor: string, name: string): void {
  const url = parsePlainAddress(actor)
  if (!url) throw refuse('[actor]: must be an address without query and fragment')
  const kind = Object.hasOwn(software, name) ? software[name] : undefined
  if (kind === undefined) throw refuse(`likes of ${name} are not accepted`, 'software_unknown')
  if (kind === 'forge' && !/(?:^|\/)api\/(?:v1\/)?activitypub\/user-id\/\d+$/.test(url.pathname)) {
    throw refuse('[actor]: must be a person')
  }
}

/** Throws `NotAcceptable` unless the object is this repository. The host is not compared: an instance may have several names. */
export function checkLiked(object: string, repoId: RepoId): void {
  const id = /(?:^|\/)api\/(?:v1\/)?activitypub\/repository-id\/(\d+)$/.exec(
    parsePlainAddress(object)?.pathname ?? '',
  )?.[1]
  if (id === undefined) throw refuse('[object]: must be a repository')
  if (id !== String(repoId)) throw refuse('[object]: must be the repository whose inbox this is')
}
