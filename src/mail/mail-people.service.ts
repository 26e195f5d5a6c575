import type { RawBuilder, SqlBool } from 'kysely'
import type { Services } from '../access/context.ts'
import type { Tx } from '../db/database.ts'
import { enqueueAll } from '../jobs/queue.ts'
import type { EventId, UserId } from '../lib/ids.ts'
import type { Event } from '../events/catalogue.ts'
import { audienceOf, type RecipientSet, type NotifiedEvent } from '../notifications/audience.service.ts'
import { loadReposWithOwners } from '../issues/repo-with-owner.store.ts'
import { listWatcherIds, mayHear } from '../notifications/audience.store.ts'
import { findRelease } from '../releases/release.store.ts'
import { deliverInBatches } from '../notifications/progress.service.ts'
import { insertMails, isAdmin, listAdminIds } from './mail-queue.store.ts'
import { sendMails } from './send-mails.job.ts'

interface Run {
  readonly eventId: EventId
  readonly signal: AbortSignal
}

/** Queues the mails of an event, with the jobs that send them. */
export async function mailOf(services: Services, event: NotifiedEvent, run: Run): Promise<void> {
  const audience = await audienceOf(services, event, 'mail')
  if (!audience) return
  const { subject, doerId, named, concerned } = audience
  await plan(services, run, {
    named,
    doerId,
    people: { ...concerned, ids: [...named, ...concerned.ids] },
    mayHear: mayHear(subject, doerId),
  })
}

/** Queues mails to those who hear of a repository's releases about one of them, unless it is a draft or a pre-release. */
export async function mailRelease(services: Services, event: Event<'release.published'>, run: Run): Promise<void> {
  const { db } = services
  const { repoId, releaseId, doerId } = event.data
  const [release, repos] = await Promise.all([findRelease(db, repoId, releaseId), loadReposWithOwners(db, [repoId])])
  const repository = repos.get(repoId)
  if (!repository || !release || release.is_draft || release.is_prerelease) return
  await plan(services, run, {
    named: [],
    doerId,
    people: { ids: [], more: (after, limit) => listWatcherIds(db, { repoId, hears: 'releases' }, after, limit) },
    mayHear: mayHear({ ...repository, unit: 'releases' }, doerId),
  })
}

/** Queues mails to the administrators about a new account. */
export async function mailNewAccount(services: Services, event: Event<'user.created'>, run: Run): Promise<void> {
  const ids = await listAdminIds(services.db)
  await plan(services, run, { named: ids, doerId: event.data.doerId, people: { ids }, mayHear: isAdmin })
}

interface Recipients {
  readonly named: readonly UserId[]
  readonly doerId: UserId
  readonly people: RecipientSet
  readonly mayHear: RawBuilder<SqlBool>
}

const hourMs = 3_600_000

async function plan(
  { db, clock, config }: Services,
  { eventId, signal }: Run,
  { named, doerId, people, mayHear }: Recipients,
): Promise<void> {
  const limits = { hour: Math.floor(clock.nowMs() / hourMs), maxPerHour: config.ingot.maxMailsPerHour }
  await deliverInBatches(db, { table: 'mailed_event', eventId, signal }, people, async (tx: Tx, userIds) => {
    const count = await insertMails(tx, { eventId, userIds, named, doerId, mayHear, ...limits })
    if (count === 0) return
    const input = { eventId, after: (userIds[0] as UserId) - 1, upTo: userIds.at(-1) as UserId }
    // The event is retained as long as a job refers to it.
    const follows = { eventId, merge: undefined, lane: undefined }
    await enqueueAll(tx, [{ job: sendMails, input, options: {}, follows }])
  })
}
