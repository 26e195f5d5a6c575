import type { Ctx } from '../../access/context.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import { Forbidden } from '../../lib/errors.ts'
import { idOf, isDocument, isHarmlessContext, parseJson } from '../document.rules.ts'
import type { Signer } from '../peers/verify.service.ts'

/** Takes an activity that was sent to an account. What says nothing to it is let pass (contract: 204 for whatever is signed). */
export async function takeForPerson(
  _ctx: Ctx,
  _subject: UserRow,
  received: Buffer,
  signer: Signer | undefined,
): Promise<void> {
  const activity = parseJson(received)?.value
  if (!signer || !isDocument(activity) || !isHarmlessContext(activity['@context'])) return
  const actor = idOf(activity['actor'])
  if (actor !== undefined && actor !== signer.actorUrl) {
    throw new Forbidden('the actor is not the one who signed the request', 'actor_not_signer')
  }
}
