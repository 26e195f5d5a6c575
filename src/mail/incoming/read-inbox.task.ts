import type { Ctx } from '../../access/context.ts'
import type { Config } from '../../config/load-config.ts'
import { transaction } from '../../db/database.ts'
import type { JobRun } from '../../jobs/job.ts'
import { schedule } from '../../jobs/schedule.ts'
import { Refusal, Unavailable } from '../../lib/errors.ts'
import { openInbox, type Inbox, type WaitingMail } from './inbox.ts'
import { deleteHandledBefore } from './incoming-mail.store.ts'
import { isAutomatic, readHeaders, recipientsOf } from './mail-headers.rules.ts'
import { replyKey } from './reply-address.ts'
import { readToken, tokensIn } from './reply-token.rules.ts'
import { commentByMail, unsubscribeByMail, rememberedMs } from './reply-mail.service.ts'

const dayMs = 86_400_000

/** Reads the mailbox of `[email.incoming]` and turns replies into comments. */
export const readInbox = (config: Config) =>
  schedule<Ctx>({
    name: 'read_incoming_mail',
    when: `@every ${Math.round(config.ingot.incomingMailInterval / 1000)}s`,
    timeoutMs: 600_000,
    run: handleMails,
  })

/** Handles each mail on its own: a failed one is retried by the next runs for a day and delays no other. */
async function handleMails(ctx: Ctx, { signal }: JobRun): Promise<void> {
  await using inbox = await openInbox(ctx.config, signal)
  const failures: unknown[] = []
  for (const mail of await inbox.waiting()) {
    signal.throwIfAborted()
    try {
      await handleMail(ctx, inbox, mail, signal)
    } catch (error) {
      // The mailbox or another service that all mails need is unavailable.
      if (signal.aborted || error instanceof Unavailable) throw error
      failures.push(error)
      if (failures.length >= maxFailures) break
      if (ctx.clock.nowMs() - mail.arrivedMs < dayMs) continue
      ctx.log('error', 'cannot handle a mail for a day; it stays in the mailbox, marked as read', {
        uid: mail.uid,
        error,
      })
      await inbox.leave(mail)
    }
  }
  await transaction(ctx.db, (tx) => deleteHandledBefore(tx, ctx.clock.nowMs() - rememberedMs))
  if (failures.length > 0) throw failures[0]
}

/** Failures that end a run, because their cause is not a single mail. */
const maxFailures = 10

async function handleMail(ctx: Ctx, inbox: Inbox, mail: WaitingMail, signal: AbortSignal): Promise<void> {
  const { emailIncoming } = ctx.config
  const leave = async (why: string): Promise<void> => {
    ctx.log('info', 'refused a mail; it stays in the mailbox, marked as read', { uid: mail.uid, why })
    await inbox.leave(mail)
  }
  if (mail.sizeBytes > emailIncoming.maximumMessageSize) return leave('it is too large')
  const bytes = await inbox.headersOf(mail)
  if (!bytes) return
  const headers = readHeaders(bytes)
  const [purpose] = tokensIn(recipientsOf(headers), emailIncoming.replyToAddress).flatMap(
    (token) => readToken(replyKey(ctx), token, ctx.clock.nowMs()) ?? [],
  )
  if (!purpose) return leave('it has no valid reply address')
  // Unsubscription mails may be sent by programs.
  if (purpose.kind === 'reply' && isAutomatic(headers)) return leave('a program sent it')
  try {
    if (purpose.kind === 'unsubscribe') {
      await unsubscribeByMail(ctx, purpose)
    } else {
      const source = await inbox.sourceOf(mail)
      if (!source) return
      await commentByMail(ctx, { purpose, headers, source }, signal)
    }
  } catch (error) {
    if (!(error instanceof Refusal) || error instanceof Unavailable) throw error
    return leave(error.message)
  }
  await inbox.done(mail)
}
