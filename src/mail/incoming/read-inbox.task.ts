import type { Ctx } from '../../access/context.ts'
import type { Config } from '../../config/load-config.ts'
import { transaction } from '../../db/database.ts'
import type { JobRun } from '../../jobs/job.ts'
import { schedule } from '../../jobs/schedule.ts'
import { Refusal, Unavailable } from '../../lib/errors.ts'
import { openInbox, type Inbox, type WaitingMail } from './inbox.ts'
import { deleteTakenBefore } from './incoming-mail.store.ts'
import { isAutomatic, readHeaders, whereTo } from './mail-headers.rules.ts'
import { replyKey } from './reply-address.ts'
import { readToken, tokensIn } from './reply-token.rules.ts'
import { commentByMail, endMails, takenForMs } from './take-mail.service.ts'

const dayMs = 86_400_000

/** Looks at the mailbox of `[email.incoming]`: what answers mails of ours becomes comments. */
export const readInbox = (config: Config) =>
  schedule<Ctx>({
    name: 'read_incoming_mail',
    when: `@every ${Math.round(config.ingot.incomingMailInterval / 1000)}s`,
    timeoutMs: 600_000,
    run: lookAtMails,
  })

/**
 * Each mail stands for itself: one that fails is tried again with the next look, for a day, and keeps no other one
 * waiting.
 */
async function lookAtMails(ctx: Ctx, { signal }: JobRun): Promise<void> {
  await using inbox = await openInbox(ctx.config, signal)
  const failures: unknown[] = []
  for (const mail of await inbox.waiting()) {
    signal.throwIfAborted()
    try {
      await lookAt(ctx, inbox, mail, signal)
    } catch (error) {
      // The mailbox itself, or what all mails need, is not there.
      if (signal.aborted || error instanceof Unavailable) throw error
      failures.push(error)
      if (failures.length >= maxFailures) break
      if (ctx.clock.nowMs() - mail.arrivedMs < dayMs) continue
      ctx.log('error', 'a mail could not be read for a day, and is left in the mailbox', { uid: mail.uid, error })
      await inbox.leave(mail)
    }
  }
  await transaction(ctx.db, (tx) => deleteTakenBefore(tx, ctx.clock.nowMs() - takenForMs))
  if (failures.length > 0) throw failures[0]
}

/** So many failures of one look are no matter of single mails. */
const maxFailures = 10

async function lookAt(ctx: Ctx, inbox: Inbox, mail: WaitingMail, signal: AbortSignal): Promise<void> {
  const { emailIncoming } = ctx.config
  const leave = async (why: string): Promise<void> => {
    ctx.log('info', 'a mail is left in the mailbox', { uid: mail.uid, why })
    await inbox.leave(mail)
  }
  if (mail.sizeBytes > emailIncoming.maximumMessageSize) return leave('it is too large')
  const bytes = await inbox.headersOf(mail)
  if (!bytes) return
  const headers = readHeaders(bytes)
  const [purpose] = tokensIn(whereTo(headers), emailIncoming.replyToAddress).flatMap(
    (token) => readToken(replyKey(ctx), token, ctx.clock.nowMs()) ?? [],
  )
  if (!purpose) return leave('it was sent to no address of ours that is valid')
  // A program that takes somebody off a list need not look like a person.
  if (purpose.kind === 'reply' && isAutomatic(headers)) return leave('no person wrote it')
  try {
    if (purpose.kind === 'unsubscribe') {
      await endMails(ctx, purpose)
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
