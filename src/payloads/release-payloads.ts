import type { EventData } from '../events/catalogue.ts'
import type { PayloadPresenter } from './payload.present.ts'
import type { EventPayload, EventPayloads } from './event-payload.ts'

type DeletedRelease = EventData<'release.deleted'>
type Change = Pick<DeletedRelease, 'repoId' | 'releaseId' | 'doerId'>

function releasePayload({ repoId, releaseId, doerId }: Change, action: string, deleted?: DeletedRelease): EventPayload {
  return {
    event: 'release',
    eventType: 'release',
    to: { repoId },
    needs: { repoIds: [repoId], userIds: [doerId], releaseIds: deleted ? [] : [releaseId] },
    async build(presenter: PayloadPresenter) {
      const release = deleted ? await presenter.deletedRelease(deleted) : await presenter.release(releaseId)
      const repository = await presenter.repository(repoId, { userId: doerId })
      return release && repository && { data: { action, release, repository, sender: presenter.person(doerId) } }
    },
  }
}

/** Drafts have no payloads. */
export const releasePayloads: EventPayloads = {
  'release.published': ({ data }) => [releasePayload(data, 'published')],
  'release.updated': ({ data }) => (data.isDraft ? [] : [releasePayload(data, 'updated')]),
  'release.deleted': ({ data }) => (data.isDraft ? [] : [releasePayload(data, 'deleted', data)]),
}
