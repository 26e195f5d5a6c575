import { createHmac } from 'node:crypto'
import type { Ctx, SignedInCtx } from '../../access/context.ts'
import { isLostRace, transaction } from '../../db/database.ts'
import type { SentFormRow } from '../../db/tables/sign-in.ts'
import { Conflict, Moved, Refusal } from '../../lib/errors.ts'
import { nowUnix } from '../../lib/time.ts'
import {
  abandonSentForm,
  deleteSentForm,
  deleteSentFormsBefore,
  findSentForm,
  finishSentForm,
  insertSentForm,
  type FormKey,
} from './sent-form.store.ts'

/** Time after which a form that has not ended has an unknown outcome: its process is gone. In seconds. */
const abandonedSeconds = 300

/** Time for which a form is known, in seconds. */
const keptSeconds = 24 * 3600

/** Where a form led, and what the next page says once. */
export interface Outcome {
  readonly to: string
  readonly notice?: string | undefined
  /** What the next page says when the form is sent again, in place of the notice. */
  readonly repeated?: string | undefined
}

/** A form as it was sent. */
export interface SentForm {
  /** A random text that the form has since it was sent first. */
  readonly key: string
  /** The values, without what differs each time. */
  readonly values: Readonly<Record<string, unknown>>
}

type FormCtx = Pick<SignedInCtx, 'db' | 'clock' | 'secrets' | 'viewer'>

/** Values in the order of their names, which browsers and forms decide. Keyed, because passwords are among them. */
const digestOf = ({ secrets }: FormCtx, values: SentForm['values']): string => {
  const ordered = Object.fromEntries(
    Object.keys(values)
      .toSorted()
      .map((name) => [name, values[name]]),
  )
  return createHmac('sha256', secrets.deriveKey('sent-forms', 32)).update(JSON.stringify(ordered)).digest('base64url')
}

const outcomeOf = ({ location, notice }: SentFormRow): Outcome => ({
  to: location,
  ...(notice === '' ? {} : { notice }),
})

/** Returns where a form led when it was sent before; undefined: it was not, or has not ended. */
export async function findOutcome(ctx: FormCtx, { key, values }: SentForm): Promise<Outcome | undefined> {
  const sent = await findSentForm(ctx.db, { user_id: ctx.viewer.id, key })
  return sent && sent.location !== '' && sent.digest === digestOf(ctx, values) ? outcomeOf(sent) : undefined
}

/**
 * Begins a form. Returns where it led when it was sent before, and then it is not to be done again.
 * @throws Conflict when the first one has not ended, had other values, or has an unknown outcome
 */
async function beginForm(ctx: FormCtx, { key, values }: SentForm): Promise<Outcome | undefined> {
  const { db, clock, viewer } = ctx
  const form = { user_id: viewer.id, key }
  const now = nowUnix(clock)
  const digest = digestOf(ctx, values)
  if (await transaction(db, (tx) => insertSentForm(tx, { ...form, digest, created_unix: now }))) return undefined
  const sent = await findSentForm(db, form)
  if (sent && sent.digest !== digest) {
    // Whoever sends it once more has read that.
    await transaction(db, (tx) => deleteSentForm(tx, form))
    throw new Conflict(
      'this form was received already, with another text; look at the page, then send it again if you want both',
      'form_sent_before',
    )
  }
  if (sent && sent.location !== '') return outcomeOf(sent)
  if (sent && sent.created_unix <= now - abandonedSeconds) {
    // Whoever sends it once more has read that.
    await transaction(db, (tx) => deleteSentForm(tx, form))
    throw new Conflict(
      'the server cannot tell whether this form was saved; look at the page, then send it again if it was not',
      'form_outcome_unknown',
    )
  }
  throw new Conflict('this form is being saved; wait a moment, then send it again', 'form_unfinished')
}

/** Returns whether an act that failed has changed nothing, or says what it has changed: not for a defect, nor for a lost database. */
const isOutcomeKnown = (error: unknown): boolean =>
  error instanceof Refusal || error instanceof Moved || isLostRace(error)

/**
 * Ends a form whose act failed. It gives its key back when the outcome is known. Otherwise the commit may have succeeded although
 * its answer was lost, so the same form is refused once, and says so.
 */
async function endFailedForm({ db, clock }: FormCtx, form: FormKey, error: unknown): Promise<void> {
  if (isOutcomeKnown(error)) {
    await transaction(db, (tx) => deleteSentForm(tx, form))
    return
  }
  const abandonedUnix = nowUnix(clock) - abandonedSeconds
  // After a failure the row stays without an end, and counts as abandoned later. The caller throws the error of the act.
  await transaction(db, (tx) => abandonSentForm(tx, form, abandonedUnix)).catch(() => undefined)
}

/** Ends a form that is read as a stream, which was sent before. */
class SentBefore extends Error {
  readonly outcome: Outcome

  constructor(outcome: Outcome) {
    super('the form was sent before')
    this.outcome = outcome
  }
}

/**
 * Does what a form asks for, once: the same form sent again leads where it led first. So a form whose answer was lost on the
 * way can be sent again. docs/decisions/0172-a-form-is-sent-once.md says what happens when a process ends between the act and the record of it.
 * @param run calls `begin` when it knows the form, before it changes anything, and throws what that throws; a form without a key
 *   is undefined
 * @throws Conflict when the first one has not ended, had other values, or has an unknown outcome
 */
export async function runOnce<Result extends Outcome>(
  ctx: FormCtx,
  run: (begin: (form: SentForm | undefined) => Promise<void>) => Promise<Result>,
): Promise<Result | Outcome> {
  const { db, viewer } = ctx
  const begun: FormKey[] = []
  const outcome = await run(async (form) => {
    if (form === undefined) return
    const before = await beginForm(ctx, form)
    if (before) throw new SentBefore(before)
    begun.push({ user_id: viewer.id, key: form.key })
  }).catch(async (error: unknown) => {
    if (error instanceof SentBefore) return error.outcome
    for (const form of begun) await endFailedForm(ctx, form, error)
    throw error
  })
  for (const form of begun) {
    const ended = { ...form, location: outcome.to, notice: outcome.repeated ?? outcome.notice ?? '' }
    await transaction(db, (tx) => finishSentForm(tx, ended))
  }
  return outcome
}

/** Forgets forms that nobody sends again. */
export async function forgetSentForms({ db, clock }: Pick<Ctx, 'db' | 'clock'>): Promise<void> {
  const before = nowUnix(clock) - keptSeconds
  await transaction(db, (tx) => deleteSentFormsBefore(tx, before))
}
