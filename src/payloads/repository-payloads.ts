import type { EventPayloads } from './event-payload.ts'

export const repositoryPayloads: EventPayloads = {
  // The owner's webhooks get it: those of the new repository begin with the next event.
  'repo.created': ({ data: { repoId, doerId } }) => [
    {
      event: 'repository',
      eventType: 'repository',
      to: { ownerOf: repoId },
      needs: { repoIds: [repoId], userIds: [doerId] },
      async build(presenter) {
        const home = presenter.home(repoId)
        // A fork has the event `fork` of its base; only a fork owned by an organization has this event too.
        if (!home || (home.repo.is_fork && home.owner.kind !== 'organization')) return undefined
        return {
          data: {
            action: 'created',
            repository: await presenter.repository(repoId, 'all'),
            organization: presenter.organization(home.owner.id),
            sender: presenter.person(doerId),
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
      build(presenter) {
        const repository = presenter.deletedRepository(repoId)
        return (
          repository && {
            data: {
              action: 'deleted',
              repository,
              organization: presenter.organization(ownerId),
              sender: presenter.person(doerId),
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
      async build(presenter) {
        const [forkee, repository] = [
          await presenter.repository(baseId, { userId: doerId }),
          await presenter.repository(repoId, 'all'),
        ]
        return forkee && repository && { data: { forkee, repository, sender: presenter.person(doerId) } }
      },
    },
  ],
}
