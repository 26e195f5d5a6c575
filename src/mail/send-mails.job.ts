import { Type } from 'typebox'
import type { Services } from '../access/context.ts'
import { transaction } from '../db/database.ts'
import { getEvent } from '../events/cursor.ts'
import { GiveUp, job, type JobRun } from '../jobs/job.ts'
import type { EventId } from '../lib/ids.ts'
import { mapLimited } from '../lib/map-limited.ts'
import { composeEventMail } from './event-mail.compose.ts'
import { eventMailOf, type EventMail, type MailedEvent } from './event-mail.service.ts'
import { deleteMails, listQueuedMails, type QueuedMail } from './mail-queue.store.ts'
import { MailError } from './mailer.ts'

/** Failures after which a run ends and is retried later. */
const maxFailures = 5

/**
 * Sends the queued mails of an event to a range of users. Accepted and permanently refused mails leave the queue; others are
 * retried. Users who may not read the subject any more get none. A crash between the server's answer and the deletion of the
 * row sends a mail twice, with the same Message-ID.
 */
export const sendMails = job({
  name: 'sendMails',
  pool: 'mail',
  // About eight hours of retries, for a mail server that is down.
  attempts: 14,
  input: Type.Object({
    eventId: Type.Unsafe<EventId>(Type.Integer()),
    after: Type.Integer(),
    upTo: Type.Integer(),
  }),
  async run(services: Services, input, run) {
    const event = await getEvent(services.db, input.eventId)
    const mail = event && (await eventMailOf(services, event as MailedEvent))
    if (!mail) return
    const waiting = await listQueuedMails(services.db, input, mail.mayHear, mail.quote?.mayReadCode)
    await dequeue(
      services,
      waiting.filter(({ recipient }) => recipient === undefined),
    )
    await sendAll(
      services,
      mail,
      waiting.filter(({ recipient }) => recipient !== undefined),
      run,
    )
  },
})

async function sendAll(services: Services, mail: EventMail, mails: readonly QueuedMail[], run: JobRun): Promise<void> {
  const refusals: MailError[] = []
  const failures: unknown[] = []
  let done = 0
  await mapLimited(mails, services.config.ingot.maxMailConnections, async (queued) => {
    if (run.signal.aborted || failures.length >= maxFailures) return
    try {
      await services.mailer.sendMail(composeEventMail(services, mail, queued))
    } catch (error) {
      if (!(error instanceof MailError) || !error.isPermanent) {
        failures.push(error)
        return
      }
      refusals.push(error)
    }
    await dequeue(services, [queued])
    done += 1
    run.progress({ done, total: mails.length })
  })
  run.signal.throwIfAborted()
  if (failures.length > 0) throw failures[0]
  // All other mails are sent; the failed job shows the answer of the mail server.
  if (refusals.length > 0) {
    throw new GiveUp(`the mail server refused ${refusals.length} of ${mails.length} mails: ${refusals[0]?.message}`)
  }
}

async function dequeue({ db }: Services, mails: readonly QueuedMail[]): Promise<void> {
  if (mails.length === 0) return
  await transaction(db, (tx) =>
    deleteMails(
      tx,
      mails.map(({ row }) => row.id),
    ),
  )
}
