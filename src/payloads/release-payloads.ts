import type { EventData } from '../events/catalogue.ts'
import type { PayloadPresenter } from './payload.present.ts'
import type { EventPayload, EventPayloads } from './event-payload.ts'

type Gone = EventData<'release.deleted'>
type Change = Pick<Gone, 'repoId' | 'releaseId' | 'doerId'>

function releasePayload({ repoId, releaseId, doerId }: Change, action: string, gone?: Gone): EventPayload {
  return {
    event: 'release',
    eventType: 'release',
    to: { repoId },
    needs: { repoIds: [repoId], userIds: [doerId], releaseIds: gone ? [] : [releaseId] },
    async build(kit: PayloadPresenter) {
      const release = gone ? await kit.deletedRelease(gone) : await kit.release(releaseId)
      const repository = await kit.repository(repoId, { userId: doerId })
      return release && repository && { data: { action, release, repository, sender: kit.person(doerId) } }
    },
  }
}

/** Nobody is told of drafts. */
export const releasePayloads: EventPayloads = {
  'release.published': ({ data }) => [releasePayload(data, 'published')],
  'release.updated': ({ data }) => (data.isDraft ? [] : [releasePayload(data, 'updated')]),
  'release.deleted': ({ data }) => (data.isDraft ? [] : [releasePayload(data, 'deleted', data)]),
}
