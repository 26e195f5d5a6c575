import { ownService } from '../../access/own-service.ts'
import { databaseSlot } from '../../db/database.ts'
import { recordEventsWith } from '../../events/hub.ts'
import { eventsWithPayloads } from '../../payloads/all-payloads.ts'
import type { PayloadCtx } from '../../payloads/payload.present.ts'
import { recordDeliveries } from './record-deliveries.ts'

/** The services that build payloads in the transactions of a database. */
export const recorderContexts = databaseSlot<PayloadCtx>()

/** Writes deliveries in each transaction that publishes an event with payloads. */
export const deliveryRecorder = ownService('the recorder of webhook deliveries', {
  open(services) {
    if (services.config.security.disableWebhooks) return () => {}
    recorderContexts.set(services.db, services)
    return recordEventsWith(services.db, {
      hears: eventsWithPayloads,
      record: (tx, events) => recordDeliveries(services, tx, events),
    })
  },
  close: (stop) => stop(),
})
