import { createHash } from 'node:crypto'
import type { Ctx, SignedInCtx } from '../../access/context.ts'
import { transaction } from '../../db/database.ts'
import { Conflict } from '../../lib/errors.ts'
import { nowUnix } from '../../lib/time.ts'
import {
  deleteSentForm,
  deleteSentFormsBefore,
  findSentForm,
  finishSentForm,
  insertSentForm,
  takeOverSentForm,
} from './sent-form.store.ts'

/** Time after which a form that has not ended may be sent again: its process is gone. In seconds. */
const abandonedSeconds = 300

/** Time for which a form is known, in seconds. */
const keptSeconds = 24 * 3600

/** Where a form led, and what the next page says once. */
interface Outcome {
  readonly to: string
  readonly notice?: string | undefined
}

/** A form as it was sent. */
export interface SentForm {
  /** A random text that the form has since it was sent first. */
  readonly key: string
  /** The values, without what differs each time. */
  readonly values: Readonly<Record<string, unknown>>
}

/** Values in the order of their names, which browsers and forms decide. */
const digestOf = (values: SentForm['values']): string => {
  const ordered = Object.fromEntries(
    Object.keys(values)
      .toSorted()
      .map((name) => [name, values[name]]),
  )
  return createHash('sha256').update(JSON.stringify(ordered)).digest('base64url')
}

/**
 * Does what a form asks for, once: the same form sent again leads where it led first. So a form whose answer was lost on the
 * way can be sent again. docs/decisions/0172-a-form-is-sent-once.md says what happens when a process ends between the act and the record of it.
 * @throws Conflict when the first one has not ended, or had other values
 */
export async function runOnce<Result extends Outcome>(
  { db, clock, viewer }: Pick<SignedInCtx, 'db' | 'clock' | 'viewer'>,
  { key, values }: SentForm,
  run: () => Promise<Result>,
): Promise<Result | Outcome> {
  const form = { user_id: viewer.id, key }
  const now = nowUnix(clock)
  const digest = digestOf(values)
  const isFirst = await transaction(db, (tx) => insertSentForm(tx, { ...form, digest, created_unix: now }))
  if (!isFirst) {
    const sent = await findSentForm(db, form)
    if (sent && sent.digest !== digest) {
      // Whoever sends it once more has read that.
      await transaction(db, (tx) => deleteSentForm(tx, form))
      throw new Conflict(
        'this form was received already, with another text; look at the page, then send it again if you want both',
        'form_sent_before',
      )
    }
    if (sent && sent.location !== '') {
      return { to: sent.location, ...(sent.notice === '' ? {} : { notice: sent.notice }) }
    }
    const isAbandoned = sent !== undefined && sent.created_unix <= now - abandonedSeconds
    if (!isAbandoned || !(await transaction(db, (tx) => takeOverSentForm(tx, form, sent.created_unix, now)))) {
      throw new Conflict('this form is being saved; wait a moment, then send it again', 'form_unfinished')
    }
  }
  const outcome = await run().catch(async (error: unknown) => {
    await transaction(db, (tx) => deleteSentForm(tx, form))
    throw error
  })
  const ended = { ...form, location: outcome.to, notice: outcome.notice ?? '' }
  await transaction(db, (tx) => finishSentForm(tx, ended))
  return outcome
}

/** Forgets forms that nobody sends again. */
export async function forgetSentForms({ db, clock }: Pick<Ctx, 'db' | 'clock'>): Promise<void> {
  const before = nowUnix(clock) - keptSeconds
  await transaction(db, (tx) => deleteSentFormsBefore(tx, before))
}
