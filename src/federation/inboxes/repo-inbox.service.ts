import type { Ctx, RepoCtx } from '../../access/context.ts'
import { NotAcceptable } from '../../lib/errors.ts'
import { idOf, isDocument, isHarmlessContext, typeOf } from '../document.rules.ts'
import { isPersonSigner } from '../follows/incoming-follow.service.ts'
import { takeLike, takeUndoneLike, undoesLike } from '../likes/like.service.ts'
import type { Signer } from '../peers/verify.service.ts'
import { isWriting, takeWriting } from '../tickets/incoming-ticket.service.ts'

const refuse = (message: string) => new NotAcceptable(message, 'activity_not_accepted')

/** Takes an activity that was sent to a repository. What is of no kind that repositories take is NotAcceptable. */
export async function takeForRepo(ctx: Ctx & RepoCtx, activity: unknown, signer: Signer | undefined): Promise<void> {
  if (!isDocument(activity)) throw refuse('[]: must be an object')
  if (!isHarmlessContext(activity['@context'])) throw refuse('[@context]: gives known terms another meaning')
  const type = typeOf(activity)
  if (type === undefined) throw refuse('[type]: is required')
  if (type === 'Like') return takeLike(ctx, activity, signer)
  // Without a signature nobody knows whose it is to take back.
  if (type === 'Undo' && signer && undoesLike(activity)) return takeUndoneLike(ctx, activity, signer)
  if (signer && isWriting(ctx, type) && idOf(activity['actor']) === signer.actorUrl && isPersonSigner(signer)) {
    return takeWriting(ctx, activity, signer)
  }
  throw refuse(`[type]: repositories take no ${/^[A-Za-z]{1,40}$/.test(type) ? type : 'activities of this type'}`)
}
