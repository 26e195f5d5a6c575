import type { EventData } from '../events/catalogue.ts'
import type { PayloadPresenter } from './payload.present.ts'
import type { EventPayload, EventPayloads } from './event-payload.ts'

type Change = EventData<'package.created'>

/**
 * Webhooks of the owner are told: a package belongs to an account, and to a repository only where somebody links it. The
 * event has no family (contract, webhooks: events).
 */
function packagePayload(
  { ownerId, doerId, versionId }: Change,
  action: string,
  present: (kit: PayloadPresenter) => ReturnType<PayloadPresenter['package']>,
  gone = false,
): EventPayload {
  return {
    event: '',
    eventType: 'package',
    to: { ownerId },
    needs: { userIds: [doerId, ownerId], versionIds: gone ? [] : [versionId] },
    async build(kit) {
      const shownPackage = await present(kit)
      return (
        shownPackage && {
          data: {
            action,
            repository: shownPackage.repository,
            package: shownPackage,
            organization: kit.organization(ownerId),
            sender: kit.person(doerId),
          },
        }
      )
    },
  }
}

export const packagePayloads: EventPayloads = {
  'package.created': ({ data }) => [packagePayload(data, 'created', (kit) => kit.package(data.versionId))],
  'package.deleted': ({ data }) => [packagePayload(data, 'deleted', (kit) => kit.deletedPackage(data), true)],
}
