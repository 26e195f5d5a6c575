import { ownService } from '../access/own-service.ts'
import { databaseSlot } from '../db/database.ts'
import { recordEventsWith } from '../events/hub.ts'
import { eventsWithPayloads } from '../payloads/all-payloads.ts'
import type { PayloadCtx } from '../payloads/payload.present.ts'
import { recordDeliveries } from './record-deliveries.ts'

/** What payloads are made with in the transactions of a database. */
export const recorderContexts = databaseSlot<PayloadCtx>()

/** Writes down what webhooks are told, in every transaction of the application in which something happens. */
export const deliveryRecorder = ownService('the recorder of deliveries', {
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
