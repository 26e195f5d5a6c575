import { createHash } from 'node:crypto'
import type { Services } from '../access/context.ts'
import { transaction } from '../db/database.ts'
import { publish } from '../events/hub.ts'
import { subscriber } from '../events/subscriber.ts'
import { isGitKey } from '../git/git-key.ts'
import { nowUnix } from '../lib/time.ts'
import { publishRemovedCollaborations } from './people/collaboration.service.ts'
import { deleteCollaborationsWith } from './people/collaboration.store.ts'
import { loadRepos, updateRepo } from './repo.store.ts'
import { deleteStarsOn } from './social/star.store.ts'
import { listTeamRepoIds } from './people/team-repo.store.ts'
import { deleteTransfersBetween } from './lifecycle/transfer.store.ts'
import { unwatchReposOf, unwatchUnseenReposOf, watchRepos } from './social/watch.store.ts'

/** Removes the git data and the avatar of a deleted repository. */
export const removeRepoFiles = subscriber({
  name: 'removeRepoFiles',
  pool: 'git',
  on: ['repo.deleted', 'repo.importAbandoned'],
  async afterCommit(services: Services, { data }) {
    for (const key of data.gitKeys.filter(isGitKey)) await services.git.remove(key)
    if ('avatarKey' in data && data.avatarKey !== '') await services.blobs.repoAvatars.delete(data.avatarKey)
  },
})

/** Deletes watches of accounts that can no longer see the repository. */
export const dropUnseenWatches = subscriber({
  name: 'dropUnseenWatches',
  on: 'access.reduced',
  inTransaction: (tx, event) => unwatchUnseenReposOf(tx, event.data.ownerId, event.data.userId),
})

/** New members of a team watch its repositories if `[service].AUTO_WATCH_NEW_REPOS` is on. */
export const watchTeamRepos = subscriber({
  name: 'watchTeamRepos',
  on: 'team.memberAdded',
  async inTransaction(tx, event, { clock }) {
    if (!event.data.watches) return
    const repoIds = await listTeamRepoIds(tx, event.data.teamId)
    await watchRepos(tx, repoIds, [event.data.userId], 'auto', nowUnix(clock))
  },
})

/**
 * Ends the relations of a blocked account: stars on repositories of both accounts (contract), and its watches,
 * collaborations and transfer offers towards the blocking account.
 */
export const endBlockedRelations = subscriber({
  name: 'endBlockedRelations',
  on: 'user.blocked',
  async inTransaction(tx, event) {
    const { blockerId, blockedId, doerId } = event.data
    for (const [ownerId, userId] of [[blockerId, blockedId] as const, [blockedId, blockerId] as const]) {
      for (const repoId of await deleteStarsOn(tx, ownerId, userId)) {
        await publish(tx, 'repo.unstarred', { repoId, userId, doerId })
      }
    }
    await publishRemovedCollaborations(tx, await deleteCollaborationsWith(tx, blockerId, blockedId), doerId)
    await deleteTransfersBetween(tx, blockedId, blockerId)
    await unwatchReposOf(tx, blockerId, blockedId)
  },
})

/** Copies the avatar of a template. */
export const copyTemplateAvatar = subscriber({
  name: 'copyTemplateAvatar',
  on: 'repo.generated',
  async afterCommit(services: Services, event) {
    const { repoId, templateId, takes } = event.data
    if (!takes.avatar) return
    const repos = await loadRepos(services.db, [repoId, templateId])
    const key = repos.get(templateId)?.avatar_key ?? ''
    // An earlier attempt or a person has set the avatar.
    if (key === '' || repos.get(repoId)?.avatar_key !== '') return
    const picture = await services.blobs.repoAvatars.get(key)
    if (!picture) return
    const copy = createHash('sha256').update(`${repoId}:${key}`).digest('hex')
    await services.blobs.repoAvatars.put(copy, picture.stream, { maxBytes: picture.sizeBytes })
    await transaction(services.db, (tx) => updateRepo(tx, repoId, { avatar_key: copy }))
  },
})
