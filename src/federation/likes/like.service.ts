import type { Ctx, RepoCtx } from '../../access/context.ts'
import { transaction } from '../../db/database.ts'
import { publish } from '../../events/hub.ts'
import { Forbidden, NotAcceptable, Unavailable } from '../../lib/errors.ts'
import { nowUnix } from '../../lib/time.ts'
import { deleteStar, insertStar } from '../../repos/social/star.store.ts'
import { isBlocked } from '../../users/social/block.store.ts'
import { sameOrigin } from '../address.rules.ts'
import { idOf, innerDocument, typeOf, type Document } from '../document.rules.ts'
import { getRemoteAccount } from '../peers/account.service.ts'
import { PeerProblem } from '../peers/peer-problem.ts'
import { getServer, softwareOf } from '../peers/server.service.ts'
import { advanceLatestLike } from '../peers/server.store.ts'
import { refuseReplay, type Signer } from '../peers/verify.service.ts'
import { checkLiked, checkLiker, readLike } from './like.rules.ts'

const notTheSigner = () => new Forbidden('the actor is not the one who signed the request', 'actor_not_signer')

/**
 * Adds the star of a remote account (contract, federation: ForgeLike). `NotAcceptable` for an invalid like, `Forbidden` when the
 * actor is not the signer or is blocked, `Unavailable` when the other server does not answer.
 */
export async function receiveLike(ctx: Ctx & RepoCtx, activity: Document, signer: Signer | undefined): Promise<void> {
  const { db, repo, owner, clock, config } = ctx
  const like = readLike(activity, clock.nowMs())
  // A signer must not make this server contact a third one.
  if (signer && !sameOrigin(like.actor, signer.server.origin)) throw notTheSigner()
  const server = await getServer(ctx, like.actor)
  const software = await withPeerErrors(softwareOf(ctx, server))
  if (like.startMs <= server.latest_like_ms) throw tooEarly()
  checkLiker(like.actor, software)
  checkLiked(like.object, repo.id)
  if (signer && signer.actorUrl !== like.actor) throw notTheSigner()
  if (config.repository.disableStars) throw new NotAcceptable('stars are switched off', 'stars_disabled')
  const account = signer?.account ?? (await withPeerErrors(getRemoteAccount(ctx, like.actor)))
  if (await isBlocked(db, owner.id, account.user_id)) throw new Forbidden('you are blocked', 'user_blocked')
  await transaction(db, async (tx) => {
    if (!(await advanceLatestLike(tx, server.id, like.startMs))) throw tooEarly()
    const userId = account.user_id
    if (!(await insertStar(tx, repo.id, userId, nowUnix(clock)))) return
    await publish(tx, 'repo.starred', { repoId: repo.id, userId, doerId: userId })
  })
}

const tooEarly = () => new NotAcceptable('[startTime]: a later like of the server has come already', 'like_too_early')

/** Awaits a request to another server; `Unavailable` when it may succeed later, otherwise `NotAcceptable`. */
async function withPeerErrors<Result>(request: Promise<Result>): Promise<Result> {
  try {
    return await request
  } catch (error) {
    if (!(error instanceof PeerProblem)) throw error
    const message = `cannot read the actor or its server: ${error.message}`
    throw error.isTemporary ? new Unavailable(message, 'peer_silent') : new NotAcceptable(message, 'peer_unusable')
  }
}

/** Returns whether an `Undo` may be of a like: its object is a like, or only an address. */
export function undoesLike(activity: Document): boolean {
  const like = innerDocument(activity, 'object')
  return like ? typeOf(like) === 'Like' : idOf(activity['object']) !== undefined
}

/** Removes the star of the signer, if it exists. */
export async function receiveUndoneLike(ctx: Ctx & RepoCtx, activity: Document, signer: Signer): Promise<void> {
  const { db, repo, clock } = ctx
  const like = innerDocument(activity, 'object')
  if (idOf(activity['actor']) !== signer.actorUrl) throw notTheSigner()
  if (like && idOf(like['actor']) !== signer.actorUrl) throw notTheSigner()
  if (like) checkLiked(idOf(like['object']) ?? '', repo.id)
  const userId = signer.account?.user_id
  if (userId === undefined) throw new NotAcceptable('[actor]: must be a person', 'like_invalid')
  await transaction(db, async (tx) => {
    await refuseReplay(tx, signer, nowUnix(clock))
    if (!(await deleteStar(tx, repo.id, userId))) return
    await publish(tx, 'repo.unstarred', { repoId: repo.id, userId, doerId: userId })
  })
}
