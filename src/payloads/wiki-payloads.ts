import type { EventData } from '../events/catalogue.ts'
import type { EventPayload, EventPayloads } from './event-payload.ts'

function wikiPayload({ repoId, doerId, page, message }: EventData<'wiki.pageCreated'>, action: string): EventPayload {
  return {
    event: 'wiki',
    eventType: 'wiki',
    to: { repoId },
    needs: { repoIds: [repoId], userIds: [doerId] },
    async build(presenter) {
      const repository = await presenter.repository(repoId, { userId: doerId })
      return repository && { data: { action, repository, sender: presenter.person(doerId), page, comment: message } }
    },
  }
}

export const wikiPayloads: EventPayloads = {
  'wiki.pageCreated': ({ data }) => [wikiPayload(data, 'created')],
  'wiki.pageEdited': ({ data }) => [wikiPayload(data, 'edited')],
  // The message of a deletion is left out (observed).
  'wiki.pageDeleted': ({ data }) => [wikiPayload({ ...data, message: '' }, 'deleted')],
}
