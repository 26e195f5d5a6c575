import type { Ctx } from '../../access/context.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import { Forbidden } from '../../lib/errors.ts'
import { idOf, isDocument, isHarmlessContext, parseJson, typeOf, type Document } from '../document.rules.ts'
import {
  isPersonSigner,
  takeFollow,
  takeFollowAnswer,
  takeUndoneFollow,
  undoesFollow,
  type PersonSigner,
} from '../follows/incoming-follow.service.ts'
import { forgetAccount, refreshAccount } from '../peers/account.service.ts'
import type { Signer } from '../peers/verify.service.ts'
import { changeTold, keepTold } from '../received/received.service.ts'
import { takeTicketAnswer } from '../tickets/outgoing-ticket.service.ts'

/** Takes an activity that was sent to an account. What says nothing to it is let pass (contract: 204 for whatever is signed). */
export async function takeForPerson(
  ctx: Ctx,
  subject: UserRow,
  received: Buffer,
  signer: Signer | undefined,
): Promise<void> {
  const activity = parseJson(received)?.value
  if (!signer || !isDocument(activity) || !isHarmlessContext(activity['@context'])) return
  const actor = idOf(activity['actor'])
  if (actor === undefined) return
  if (actor !== signer.actorUrl) {
    throw new Forbidden('the actor is not the one who signed the request', 'actor_not_signer')
  }
  // A server says itself what became of what was sent to it; it has nothing else to tell a person.
  if (typeOf(activity) === 'Accept' && (await takeTicketAnswer(ctx, subject, activity, signer))) return
  if (isPersonSigner(signer)) await take(ctx, subject, activity, signer)
}

async function take(ctx: Ctx, subject: UserRow, activity: Document, signer: PersonSigner): Promise<void> {
  switch (typeOf(activity)) {
    case 'Follow':
      return takeFollow(ctx, subject, activity, signer)
    case 'Undo':
      if (undoesFollow(ctx, subject, activity, signer)) return takeUndoneFollow(ctx, subject, signer)
      return changeTold(ctx, activity, signer)
    case 'Accept':
    case 'Reject':
      return takeFollowAnswer(ctx, subject, activity, signer)
    case 'Update':
      // An actor is read where it is: what is sent may be cut short, or old.
      if (idOf(activity['object']) === signer.actorUrl) return refreshAccount(ctx, signer.account)
      return changeTold(ctx, activity, signer)
    case 'Delete':
      if (idOf(activity['object']) === signer.actorUrl) return forgetAccount(ctx, signer.account)
      return changeTold(ctx, activity, signer)
    case undefined:
      return
    default:
      return keepTold(ctx, subject, activity, signer)
  }
}
