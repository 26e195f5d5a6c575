import type { EventData } from '../../events/catalogue.ts'
import type { PayloadKit } from './payload-kit.present.ts'
import type { Telling, Tellings } from './telling.ts'

type Gone = EventData<'release.deleted'>
type Change = Pick<Gone, 'repoId' | 'releaseId' | 'doerId'>

function told({ repoId, releaseId, doerId }: Change, action: string, gone?: Gone): Telling {
  return {
    event: 'release',
    eventType: 'release',
    to: { repoId },
    needs: { repoIds: [repoId], userIds: [doerId], releaseIds: gone ? [] : [releaseId] },
    async make(kit: PayloadKit) {
      const release = gone ? await kit.goneRelease(gone) : await kit.release(releaseId)
      const repository = await kit.repository(repoId, { userId: doerId })
      return release && repository && { data: { action, release, repository, sender: kit.person(doerId) } }
    },
  }
}

/** Nobody is told of drafts. */
export const releaseTellings: Tellings = {
  'release.published': ({ data }) => [told(data, 'published')],
  'release.updated': ({ data }) => (data.isDraft ? [] : [told(data, 'updated')]),
  'release.deleted': ({ data }) => (data.isDraft ? [] : [told(data, 'deleted', data)]),
}
