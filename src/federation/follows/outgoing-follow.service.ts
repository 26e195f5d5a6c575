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
import { findServer } from '../peers/server.store.ts'
import { deleteFederatedFollow, findFederatedFollow, insertFederatedFollow } from './follow.store.ts'

/**
 * Brings what another server knows of a follow to what is so here: it is asked for, or taken back. Does nothing for people of
 * this instance, and nothing the second time.
 */
export async function tellOfFollow(services: Services, followerId: UserId, userId: UserId): Promise<void> {
  const { db, config, clock } = services
  const [target] = await listFederatedAccounts(db, [userId])
  const [elsewhere] = await listFederatedAccounts(db, [followerId])
  if (!target || elsewhere) return
  await transaction(db, async (tx) => {
    const server = await findServer(tx, target.server_id)
    const isSo = await isFollowing(tx, followerId, userId)
    const told = await findFederatedFollow(tx, followerId, userId)
    if (!server || isSo === (told !== undefined)) return
    const url = told?.activity_url ?? followUrl(config, followerId, userId, clock.nowMs())
    const activity = followActivity(config, followerId, target.actor_url, url)
    if (told) await deleteFederatedFollow(tx, followerId, userId)
    else {
      const row = { follower_id: followerId, user_id: userId, activity_url: activity.id, is_accepted: false }
      await insertFederatedFollow(tx, row)
    }
    await sendActivities(tx, [
      {
        server: { id: server.id, failures: server.failures, retryAtMs: server.retry_at_ms },
        inboxUrl: target.inbox_url,
        sender: followerId,
        activity: told ? undoActivity(activity) : activity,
      },
    ])
  })
}

/**
 * Follows somebody on another server, named by `name@host` or by the address of the actor or page. Invalid when there is nobody,
 * Unavailable when the server does not answer now.
 */
export async function followElsewhere(ctx: SignedInCtx, named: string): Promise<UserRow> {
  const actorUrl = await answered(findActorUrl(ctx, named.trim()))
  if (isLocal(ctx.config, new URL(actorUrl))) {
    throw new Invalid('[account]: is one of this instance', 'account_local', { field: 'account' })
  }
  const { user_id: userId } = await answered(getRemoteAccount(ctx, actorUrl))
  const user = await findUserById(ctx.db, userId)
  if (!user) throw new Error('a remote account without a user')
  await follow(ctx, user)
  return user
}

async function answered<Result>(question: Promise<Result>): Promise<Result> {
  try {
    return await question
  } catch (error) {
    if (!(error instanceof PeerProblem)) throw error
    const message = `[account]: cannot be read: ${error.message}`
    throw error.isPassing
      ? new Unavailable(message, 'peer_silent')
      : new Invalid(message, 'account_unknown', { field: 'account' })
  }
}

/** Redirects of WebFinger that are followed: names may be on another host than their server. */
const maxFingerRedirects = 3

async function findActorUrl(ctx: SignedInCtx, named: string): Promise<string> {
  if (parsePlainAddress(named)) return named
  const [, name = '', host = ''] = /^@?(?:acct:)?([^@\s/]+)@([^@\s/?#]+)$/.exec(named) ?? []
  if (name === '' || host === '') throw new PeerProblem('it is neither name@host nor an address', false)
  const resource = encodeURIComponent(`acct:${name}@${host}`)
  // Public servers have https; those of a network of one's own may do without.
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
