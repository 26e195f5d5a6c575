import type { EventData } from '../../events/catalogue.ts'
import type { Telling, Tellings } from './telling.ts'

function told({ repoId, doerId, page, message }: EventData<'wiki.pageCreated'>, action: string): Telling {
  return {
    event: 'wiki',
    eventType: 'wiki',
    to: { repoId },
    needs: { repoIds: [repoId], userIds: [doerId] },
    async make(kit) {
      const repository = await kit.repository(repoId, { userId: doerId })
      return repository && { data: { action, repository, sender: kit.person(doerId), page, comment: message } }
    },
  }
}

export const wikiTellings: Tellings = {
  'wiki.pageCreated': ({ data }) => [told(data, 'created')],
  'wiki.pageEdited': ({ data }) => [told(data, 'edited')],
  // Nobody is told why a page goes (observed).
  'wiki.pageDeleted': ({ data }) => [told({ ...data, message: '' }, 'deleted')],
}
