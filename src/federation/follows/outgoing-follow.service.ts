import type { Services, SignedInCtx } from '../../access/context.ts'
import { transaction } from '../../db/database.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import { Invalid, Unavailable } from '../../lib/errors.ts'
import type { UserId } from '../../lib/ids.ts'
import { follow } from '../../users/social/follow.service.ts'
import { isFollowing } from '../../users/social/follow.store.ts'
import { findUserById } from '../../users/user.store.ts'
import { followActivity, followUrl, undoActivity } from '../activity.rules.ts'
import { isLocal, parsePlainAddress } from '../address.rules.ts'
import { sendActivities } from '../deliveries/deliver-activities.job.ts'
import { idOf, isDocument, textOf } from '../document.rules.ts'
import { getRemoteAccount } from '../peers/account.service.ts'
import { listFederatedAccounts } from '../peers/account.store.ts'
import { fetchDocument } from '../peers/fetch.service.ts'
import { PeerProblem } from '../peers/peer-problem.ts'
import { deleteFederatedFollow, findFederatedFollow, insertFederatedFollow } from './follow.store.ts'

/** Sends a `Follow` or its `Undo` so that the other server knows the current state. Does nothing for local accounts, and nothing twice. */
export async function syncFollow(services: Services, followerId: UserId, userId: UserId): Promise<void> {
  const { db, config, clock } = services
  const [target] = await listFederatedAccounts(db, [userId])
  const [remote] = await listFederatedAccounts(db, [followerId])
  if (!target || remote) return
  await transaction(db, async (tx) => {
    const isFollowed = await isFollowing(tx, followerId, userId)
    const sent = await findFederatedFollow(tx, followerId, userId)
    if (isFollowed === (sent !== undefined)) return
    const url = sent?.activity_url ?? followUrl(config, followerId, userId, clock.nowMs())
    const activity = followActivity(config, followerId, target.actor_url, url)
    if (sent) await deleteFederatedFollow(tx, followerId, userId)
    else {
      const row = { follower_id: followerId, user_id: userId, activity_url: activity.id, is_accepted: false }
      await insertFederatedFollow(tx, row)
    }
    await sendActivities(tx, [
      {
        serverId: target.server_id,
        inboxUrl: target.inbox_url,
        sender: followerId,
        activity: sent ? undoActivity(activity) : activity,
      },
    ])
  })
}

/**
 * Follows an account on another server, named by `name@host` or the address of its actor. `Invalid` when it does not exist,
 * `Unavailable` when its server does not answer.
 */
export async function followElsewhere(ctx: SignedInCtx, named: string): Promise<UserRow> {
  const actorUrl = await withPeerErrors(findActorUrl(ctx, named.trim()))
  if (isLocal(ctx.config, new URL(actorUrl))) {
    throw new Invalid(
      '[account]: is an account of this instance; follow it with userCurrentPutFollow',
      'account_local',
      { field: 'account' },
    )
  }
  const { user_id: userId } = await withPeerErrors(getRemoteAccount(ctx, actorUrl))
  const user = await findUserById(ctx.db, userId)
  if (!user) throw new Error('a remote account without a user')
  await follow(ctx, user)
  return user
}

async function withPeerErrors<Result>(request: Promise<Result>): Promise<Result> {
  try {
    return await request
  } catch (error) {
    if (!(error instanceof PeerProblem)) throw error
    const message = `[account]: cannot be read: ${error.message}`
    throw error.isTemporary
      ? new Unavailable(message, 'peer_silent')
      : new Invalid(message, 'account_unknown', { field: 'account' })
  }
}

/** Most redirects of a WebFinger request: the host of a name may differ from its server. */
const maxFingerRedirects = 3

async function findActorUrl(ctx: SignedInCtx, named: string): Promise<string> {
  if (parsePlainAddress(named)) return named
  const [, name = '', host = ''] = /^@?(?:acct:)?([^@\s/]+)@([^@\s/?#]+)$/.exec(named) ?? []
  if (name === '' || host === '') throw new PeerProblem('it is neither name@host nor an address', false)
  const resource = encodeURIComponent(`acct:${name}@${host}`)
  // Servers in a private network may use http like this instance.
  const scheme = new URL(ctx.config.server.rootUrl).protocol
  const url = `${scheme}//${host}/.well-known/webfinger?resource=${resource}`
  const { links } = await fetchDocument(ctx, url, {
    maxRedirects: maxFingerRedirects,
    share: ctx.viewer.user.lower_name,
  })
  const self = (Array.isArray(links) ? links.slice(0, 50) : []).find(
    (link: unknown) => isDocument(link) && textOf(link, 'rel') === 'self' && isActivity(link['type']),
  )
  const href = isDocument(self) ? idOf(self['href']) : undefined
  if (href === undefined || !parsePlainAddress(href)) throw new PeerProblem('its server names no actor', false)
  return href
}

const isActivity = (type: unknown): boolean =>
  typeof type === 'string' && /^application\/(activity\+json|ld\+json\b)/i.test(type)
