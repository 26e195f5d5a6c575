import type { EventData } from '../events/catalogue.ts'
import type { PayloadPresenter } from './payload.present.ts'
import type { EventPayload, EventPayloads } from './event-payload.ts'

type Change = EventData<'package.created'>

/** The webhooks of the owner get it, because a package belongs to an account. `event` is empty (contract, webhooks: events). */
function packagePayload(
  { ownerId, doerId, versionId }: Change,
  action: string,
  present: (presenter: PayloadPresenter) => ReturnType<PayloadPresenter['package']>,
  isDeleted = false,
): EventPayload {
  return {
    event: '',
    eventType: 'package',
    to: { ownerId },
    needs: { userIds: [doerId, ownerId], versionIds: isDeleted ? [] : [versionId] },
    async build(presenter) {
      const presented = await present(presenter)
      return (
        presented && {
          data: {
            action,
            repository: presented.repository,
            package: presented,
            organization: presenter.organization(ownerId),
            sender: presenter.person(doerId),
          },
        }
      )
    },
  }
}

export const packagePayloads: EventPayloads = {
  'package.created': ({ data }) => [packagePayload(data, 'created', (presenter) => presenter.package(data.versionId))],
  'package.deleted': ({ data }) => [
    packagePayload(data, 'deleted', (presenter) => presenter.deletedPackage(data), true),
  ],
}
