import type { Ctx, RepoCtx } from '../../access/context.ts'
import { NotAcceptable } from '../../lib/errors.ts'
import { idOf, isDocument, isHarmlessContext, typeOf } from '../document.rules.ts'
import { isPersonSigner } from '../follows/incoming-follow.service.ts'
import { receiveLike, receiveUndoneLike, undoesLike } from '../likes/like.service.ts'
import type { Signer } from '../peers/verify.service.ts'
import { isWriting, receiveWriting } from '../tickets/incoming-ticket.service.ts'

const refuse = (message: string) => new NotAcceptable(message, 'activity_not_accepted')

/** Receives an activity for a repository. Throws `NotAcceptable` for types that repositories do not accept. */
export async function receiveForRepo(ctx: Ctx & RepoCtx, activity: unknown, signer: Signer | undefined): Promise<void> {
  if (!isDocument(activity)) throw refuse('[]: must be an object')
  if (!isHarmlessContext(activity['@context'])) throw refuse('[@context]: gives known terms another meaning')
  const type = typeOf(activity)
  if (type === undefined) throw refuse('[type]: is required')
  if (type === 'Like') return receiveLike(ctx, activity, signer)
  // An unsigned `Undo` has no proven actor.
  if (type === 'Undo' && signer && undoesLike(activity)) return receiveUndoneLike(ctx, activity, signer)
  if (signer && isWriting(ctx, type) && idOf(activity['actor']) === signer.actorUrl && isPersonSigner(signer)) {
    return receiveWriting(ctx, activity, signer)
  }
  throw refuse(`[type]: repositories do not accept ${/^[A-Za-z]{1,40}$/.test(type) ? type : 'activities of this type'}`)
}
