import type { Ctx, RepoCtx, Services } from '../../access/context.ts'
import { transaction } from '../../db/database.ts'
import type { FollowedRepoRow } from '../../db/tables/federation.ts'
import type { Event } from '../../events/catalogue.ts'
import { Invalid, NotAcceptable, Unavailable } from '../../lib/errors.ts'
import { mapLimited } from '../../lib/map-limited.ts'
import { program } from '../../lib/program.ts'
import { nowUnix } from '../../lib/time.ts'
import { likeActivity, undoActivity } from '../activity.rules.ts'
import { isLocal, parsePlainAddress, sameOrigin } from '../address.rules.ts'
import { sendActivities, type OutgoingActivity } from '../deliveries/deliver-activities.job.ts'
import { idOf, isHarmlessContext, typeOf } from '../document.rules.ts'
import { listFederatedAccounts } from '../peers/account.store.ts'
import { fetchDocument } from '../peers/fetch.service.ts'
import { PeerProblem } from '../peers/peer-problem.ts'
import { getServer, softwareOf } from '../peers/server.service.ts'
import { takeLikeTime } from '../peers/server.store.ts'
import { listFollowedRepos, listLikedRepos, replaceFollowedRepos, type NewFollowedRepo } from './followed-repo.store.ts'

/** Most remote repositories that one repository follows: a star is sent to each. */
const maxFollowed = 20

/** Servers that one request contacts at once. */
const concurrency = 4

export const getFollowedRepos = ({ db, repo }: RepoCtx): Promise<FollowedRepoRow[]> => listFollowedRepos(db, repo.id)

/**
 * Replaces the remote repositories that get a like for each star here. `NotAcceptable` when an address is not a repository,
 * `Unavailable` when its server does not answer.
 */
export async function setFollowedRepos(ctx: Ctx & RepoCtx, urls: readonly string[]): Promise<FollowedRepoRow[]> {
  const { db, repo, clock } = ctx
  const wanted = [...new Set(urls.map((url) => url.trim()))]
  if (wanted.length > maxFollowed) {
    throw new Invalid(`[repositories]: at most ${maxFollowed} repositories can be followed`, 'too_many', {
      field: 'repositories',
    })
  }
  const known = new Map((await listFollowedRepos(db, repo.id)).map((row) => [row.url, row]))
  const repos = await mapLimited(wanted, concurrency, async (url): Promise<NewFollowedRepo> => {
    const row = known.get(url)
    return row
      ? { serverId: row.server_id, url: row.url, inboxUrl: row.inbox_url }
      : await lookUp(ctx, url).catch((error: unknown) => {
          if (!(error instanceof PeerProblem)) throw error
          const message = `[repositories]: ${url} cannot be followed: ${error.message}`
          throw error.isTemporary
            ? new Unavailable(message, 'peer_silent')
            : new NotAcceptable(message, 'not_a_repository')
        })
  })
  await transaction(db, (tx) => replaceFollowedRepos(tx, repo.id, repos, nowUnix(clock)))
  return listFollowedRepos(db, repo.id)
}

async function lookUp(ctx: Ctx, url: string): Promise<NewFollowedRepo> {
  const address = parsePlainAddress(url)
  if (!address) throw new PeerProblem('it must be an address without query and fragment', false)
  if (isLocal(ctx.config, address)) throw new PeerProblem('it is on this instance', false)
  const document = await fetchDocument(ctx, url)
  const isRepository =
    document['id'] === url && typeOf(document) === 'Repository' && isHarmlessContext(document['@context'])
  if (!isRepository) throw new PeerProblem('it is not the address of a repository', false)
  // A repository without `inbox` has it below the actor (contract).
  const inboxUrl = idOf(document['inbox']) ?? `${url}/inbox`
  if (!parsePlainAddress(inboxUrl) || !sameOrigin(inboxUrl, url)) {
    throw new PeerProblem('its inbox is on another server', false)
  }
  const server = await getServer(ctx, url)
  // The software of the server decides how likes are sent to it.
  await softwareOf(ctx, server)
  return { serverId: server.id, url, inboxUrl }
}

/** A server orders likes by their times: Ingot compares milliseconds, others seconds. */
const stepMs = (software: string): number => (software === program.name ? 1 : 1000)

/** Sends a star of a local account as a like to the followed repositories, and its removal as `Undo`. */
export async function sendStar(
  { db, config, clock }: Services,
  { name, data }: Event<'repo.starred' | 'repo.unstarred'>,
): Promise<void> {
  const [remote] = await listFederatedAccounts(db, [data.userId])
  if (remote) return
  await transaction(db, async (tx) => {
    const repos = await listLikedRepos(tx, data.repoId)
    const activities: OutgoingActivity[] = []
    for (const row of repos) {
      const startMs = await takeLikeTime(tx, row.server_id, clock.nowMs(), stepMs(row.software))
      const like = likeActivity(config, data.userId, row.url, { number: row.id, startMs })
      activities.push({
        serverId: row.server_id,
        inboxUrl: row.inbox_url,
        sender: data.userId,
        activity: name === 'repo.starred' ? like : undoActivity(like),
      })
    }
    await sendActivities(tx, activities)
  })
}
