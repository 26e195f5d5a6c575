import type { Ctx } from '../../access/context.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import { Forbidden } from '../../lib/errors.ts'
import { nowUnix } from '../../lib/time.ts'
import { idOf, isDocument, isHarmlessContext, parseJson, typeOf, type Document } from '../document.rules.ts'
import {
  isPersonSigner,
  receiveFollow,
  receiveFollowAnswer,
  receiveUndoneFollow,
  undoesFollow,
  type PersonSigner,
} from '../follows/incoming-follow.service.ts'
import { deleteAccount, refreshAccount } from '../peers/account.service.ts'
import { refuseReplay, type Signer } from '../peers/verify.service.ts'
import { changeReceived, storeReceived } from '../received/received.service.ts'
import { receiveTicketAnswer } from '../tickets/outgoing-ticket.service.ts'

/** Receives an activity for an account. Unknown activities are ignored (contract: 204 for anything that is signed). */
export async function receiveForPerson(
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
  // The actor of a server sends only answers to issues.
  if (typeOf(activity) === 'Accept' && (await receiveTicketAnswer(ctx, subject, activity, signer))) return
  if (isPersonSigner(signer)) await receive(ctx, subject, activity, signer)
}

async function receive(ctx: Ctx, subject: UserRow, activity: Document, signer: PersonSigner): Promise<void> {
  switch (typeOf(activity)) {
    case 'Follow':
      return receiveFollow(ctx, subject, activity, signer)
    case 'Undo':
      if (undoesFollow(ctx, subject, activity, signer)) return receiveUndoneFollow(ctx, subject, signer)
      return changeReceived(ctx, activity, signer)
    case 'Accept':
    case 'Reject':
      return receiveFollowAnswer(ctx, subject, activity, signer)
    case 'Update':
      // The actor is fetched from its server: the object may be partial or old.
      if (idOf(activity['object']) === signer.actorUrl) return refreshAccount(ctx, signer.account)
      return changeReceived(ctx, activity, signer)
    case 'Delete':
      if (idOf(activity['object']) === signer.actorUrl) {
        return deleteAccount(ctx, signer.account, (tx) => refuseReplay(tx, signer, nowUnix(ctx.clock)))
      }
      return changeReceived(ctx, activity, signer)
    case undefined:
      return
    default:
      return storeReceived(ctx, subject, activity, signer)
  }
}
