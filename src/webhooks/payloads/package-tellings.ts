import type { EventData } from '../../events/catalogue.ts'
import type { PayloadKit } from './payload-kit.present.ts'
import type { Telling, Tellings } from './telling.ts'

type Change = EventData<'package.created'>

/**
 * Webhooks of the owner are told: a package belongs to an account, and to a repository only where somebody links it. The
 * event has no family (contract, webhooks: events).
 */
function told(
  { ownerId, doerId, versionId }: Change,
  action: string,
  shown: (kit: PayloadKit) => ReturnType<PayloadKit['package']>,
  gone = false,
): Telling {
  return {
    event: '',
    eventType: 'package',
    to: { ownerId },
    needs: { userIds: [doerId, ownerId], versionIds: gone ? [] : [versionId] },
    async make(kit) {
      const shownPackage = await shown(kit)
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

export const packageTellings: Tellings = {
  'package.created': ({ data }) => [told(data, 'created', (kit) => kit.package(data.versionId))],
  'package.deleted': ({ data }) => [told(data, 'deleted', (kit) => kit.gonePackage(data), true)],
}
