import type { EventPayloads } from './event-payload.ts'

export const repositoryPayloads: EventPayloads = {
  // To the owner: the repository has no webhooks yet, but the default ones, which are for what comes.
  'repo.created': ({ data: { repoId, doerId } }) => [
    {
      event: 'repository',
      eventType: 'repository',
      to: { ownerOf: repoId },
      needs: { repoIds: [repoId], userIds: [doerId] },
      async build(kit) {
        const home = kit.home(repoId)
        // A fork is told to the webhooks of its base; only one that an organization gets is told as a repository too.
        if (!home || (home.repo.is_fork && home.owner.kind !== 'organization')) return undefined
        return {
          data: {
            action: 'created',
            repository: await kit.repository(repoId, 'all'),
            organization: kit.organization(home.owner.id),
            sender: kit.person(doerId),
          },
        }
      },
    },
  ],
  'repo.deleted': ({ data: { repoId, doerId, ownerId } }) => [
    {
      event: 'repository',
      eventType: 'repository',
      to: { ownerId },
      needs: { userIds: [doerId, ownerId] },
      build(kit) {
        const repository = kit.deletedRepository(repoId)
        return (
          repository && {
            data: {
              action: 'deleted',
              repository,
              organization: kit.organization(ownerId),
              sender: kit.person(doerId),
            },
          }
        )
      },
    },
  ],
  'repo.forked': ({ data: { repoId, doerId, baseId } }) => [
    {
      event: 'fork',
      eventType: 'fork',
      to: { repoId: baseId },
      needs: { repoIds: [repoId, baseId], userIds: [doerId] },
      async build(kit) {
        const [forkee, repository] = [
          await kit.repository(baseId, { userId: doerId }),
          await kit.repository(repoId, 'all'),
        ]
        return forkee && repository && { data: { forkee, repository, sender: kit.person(doerId) } }
      },
    },
  ],
}
