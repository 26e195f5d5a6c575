import type { Ctx } from '../../access/context.ts'
import { transaction } from '../../db/database.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import type { FederatedAccountRow } from '../../db/tables/federation.ts'
import { publish } from '../../events/hub.ts'
import { nowUnix } from '../../lib/time.ts'
import { isBlockedEitherWay } from '../../users/social/block.store.ts'
import { endFollow } from '../../users/social/follow.service.ts'
import { insertFollow } from '../../users/social/follow.store.ts'
import { answerActivity } from '../activity.rules.ts'
import { personUrl } from '../address.rules.ts'
import { sendActivities } from '../deliveries/deliver-activities.job.ts'
import { idOf, innerDocument, typeOf, type Document } from '../document.rules.ts'
import { refuseReplay, type Signer } from '../peers/verify.service.ts'
import { acceptFederatedFollow, deleteFederatedFollow, findFederatedFollow } from './follow.store.ts'

/** A signer that is a person. */
export type PersonSigner = Signer & { readonly account: FederatedAccountRow }

export const isPersonSigner = (signer: Signer): signer is PersonSigner => signer.account !== undefined

/** Accepts a follow of a local account and answers it; rejects it when one account blocks the other. */
export async function receiveFollow(
  ctx: Ctx,
  subject: UserRow,
  activity: Document,
  signer: PersonSigner,
): Promise<void> {
  const { db, clock, config } = ctx
  const actor = personUrl(config, subject.id)
  const id = idOf(activity)
  if (idOf(activity['object']) !== actor || id === undefined) return
  const followerId = signer.account.user_id
  const type = (await isBlockedEitherWay(db, subject.id, followerId)) ? 'Reject' : 'Accept'
  const follow = { id, type: 'Follow', actor: signer.actorUrl, object: actor }
  await transaction(db, async (tx) => {
    await refuseReplay(tx, signer, nowUnix(clock))
    if (type === 'Accept' && (await insertFollow(tx, followerId, subject.id, nowUnix(clock)))) {
      await publish(tx, 'user.followed', { userId: subject.id, followerId, doerId: followerId })
    }
    await sendActivities(tx, [
      {
        serverId: signer.server.id,
        inboxUrl: signer.account.inbox_url,
        sender: subject.id,
        activity: answerActivity(type, actor, follow, `${followerId}-${clock.nowMs()}`),
      },
    ])
  })
}

/** Ends the follow of a local account. */
export async function receiveUndoneFollow(ctx: Ctx, subject: UserRow, signer: PersonSigner): Promise<void> {
  const followerId = signer.account.user_id
  await transaction(ctx.db, async (tx) => {
    await refuseReplay(tx, signer, nowUnix(ctx.clock))
    await endFollow(tx, followerId, subject.id, followerId)
  })
}

/** Returns whether an `Undo` ends a follow of this account by its actor. */
export function undoesFollow(ctx: Ctx, subject: UserRow, activity: Document, signer: Signer): boolean {
  const follow = innerDocument(activity, 'object')
  return (
    follow !== undefined &&
    typeOf(follow) === 'Follow' &&
    idOf(follow['actor']) === signer.actorUrl &&
    idOf(follow['object']) === personUrl(ctx.config, subject.id)
  )
}

/** Receives the answer to a follow that a local account sent for: `Accept` confirms it, `Reject` ends it. */
export async function receiveFollowAnswer(
  ctx: Ctx,
  subject: UserRow,
  activity: Document,
  signer: PersonSigner,
): Promise<void> {
  const { db, clock } = ctx
  const userId = signer.account.user_id
  const sent = await findFederatedFollow(db, subject.id, userId)
  if (!sent || !answersTo(activity, sent.activity_url, signer.actorUrl)) return
  await transaction(db, async (tx) => {
    await refuseReplay(tx, signer, nowUnix(clock))
    if (typeOf(activity) === 'Accept') return acceptFederatedFollow(tx, subject.id, userId)
    if (await deleteFederatedFollow(tx, subject.id, userId)) await endFollow(tx, subject.id, userId, userId)
  })
}

/** Some servers name the follow by its id, others repeat it with an id of their own. */
function answersTo(activity: Document, followUrl: string, answerer: string): boolean {
  if (idOf(activity['object']) === followUrl) return true
  const follow = innerDocument(activity, 'object')
  return follow !== undefined && typeOf(follow) === 'Follow' && idOf(follow['object']) === answerer
}
