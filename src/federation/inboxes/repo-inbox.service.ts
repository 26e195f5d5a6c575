import type { Ctx, RepoCtx } from '../../access/context.ts'
import { NotAcceptable } from '../../lib/errors.ts'
import { idOf, isDocument, isHarmlessContext, typeOf, type Document } from '../document.rules.ts'
import { isPersonSigner } from '../follows/incoming-follow.service.ts'
import { receiveLike, receiveUndoneLike, undoesLike } from '../likes/like.service.ts'
import type { Signer } from '../peers/verify.service.ts'
import { isWriting, receiveWriting } from '../tickets/incoming-ticket.service.ts'

const refuse = (message: string) => new NotAcceptable(message, 'activity_not_accepted')

/** Receives a like for a repository. Throws `NotAcceptable` for every other activity (written contract, Events). */
export async function receiveLikeForRepo(
  ctx: Ctx & RepoCtx,
  activity: unknown,
  signer: Signer | undefined,
): Promise<void> {
  const { document, type } = readActivity(activity)
  if (type !== 'Like') throw notAccepted(type)
  await receiveLike(ctx, document, signer)
}

/** Receives an activity for a repository by ForgeFed. Throws `NotAcceptable` for types that repositories do not accept. */
export async function receiveForRepo(ctx: Ctx & RepoCtx, received: unknown, signer: Signer | undefined): Promise<void> {
  const { document: activity, type } = readActivity(received)
  if (type === 'Like') return receiveLike(ctx, activity, signer)
  // An unsigned `Undo` has no proven actor.
  if (type === 'Undo' && signer && undoesLike(activity)) return receiveUndoneLike(ctx, activity, signer)
  if (signer && isWriting(ctx, type) && idOf(activity['actor']) === signer.actorUrl && isPersonSigner(signer)) {
    return receiveWriting(ctx, activity, signer)
  }
  throw notAccepted(type)
}

function readActivity(activity: unknown): { readonly document: Document; readonly type: string } {
  if (!isDocument(activity)) throw refuse('[]: must be an object')
  if (!isHarmlessContext(activity['@context'])) throw refuse('[@context]: gives known terms another meaning')
  const type = typeOf(activity)
  if (type === undefined) throw refuse('[type]: is required')
  return { document: activity, type }
}

const notAccepted = (type: string) =>
  refuse(`[type]: repositories do not accept ${/^[A-Za-z]{1,40}$/.test(type) ? type : 'activities of this type'}`)
