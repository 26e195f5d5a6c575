import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { Attachment } from 'postal-mime'
import type { Ctx, SignedInRepoCtx } from '../../access/context.ts'
import { openRepo } from '../../access/resolve-repo.ts'
import { viewerAs } from '../../auth/viewer.ts'
import type { Tx } from '../../db/database.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import type { IssueRow } from '../../db/tables/issues.ts'
import { addCommentWithFiles } from '../../issues/comments/comment-files.service.ts'
import { getReadableIssue } from '../../issues/issue.service.ts'
import { findIssueById } from '../../issues/issue.store.ts'
import { loadReposWithOwners } from '../../issues/repo-with-owner.store.ts'
import { Archived, NotFound, TooManyRequests } from '../../lib/errors.ts'
import { findUserById } from '../../users/user.store.ts'
import { unsubscribe } from '../unsubscribe.service.ts'
import { textsFor } from '../texts/texts.ts'
import { countTakenSince, insertTaken, isTaken } from './incoming-mail.store.ts'
import type { MailHeaders } from './mail-headers.rules.ts'
import { textOfHtml, writtenIn } from './reply-text.rules.ts'
import type { MailPurpose } from './reply-token.rules.ts'

const hourMs = 3_600_000

/** Deepest nesting of parts of a mail that is read. */
const maxNesting = 32

/** Whom a mail is from, by its token, and what it is about; throws `NotFound` for accounts that may not sign in. */
async function getWriter({ db }: Ctx, { userId }: MailPurpose): Promise<UserRow> {
  const user = await findUserById(db, userId)
  if (user?.kind !== 'individual' || !user.is_active || user.prohibit_login) {
    throw new NotFound('the account of the address may not sign in', 'mail_account')
  }
  return user
}

/**
 * The issue of a token, as the one who writes may read it now.
 * @throws NotFound where they may not, or it is gone
 */
async function openIssue(
  ctx: Ctx,
  { issueId }: MailPurpose,
  user: UserRow,
): Promise<{ readonly ctx: SignedInRepoCtx; readonly issue: IssueRow }> {
  const row = await findIssueById(ctx.db, issueId)
  const place = row && (await loadReposWithOwners(ctx.db, [row.repo_id])).get(row.repo_id)
  if (!row || !place) throw new NotFound('the issue does not exist', 'issue_not_found')
  const viewer = viewerAs(user)
  const opened = { ...ctx, viewer, ...(await openRepo({ ...ctx, viewer }, place.owner, place.repo)) }
  return { ctx: opened, issue: await getReadableIssue(opened, row.index) }
}

/** Ends the mails about an issue for whom the address belongs to; anybody may who has it. */
export async function endMails(ctx: Ctx, purpose: MailPurpose): Promise<void> {
  const user = await findUserById(ctx.db, purpose.userId)
  if (!user) throw new NotFound('the account of the address is gone', 'mail_account')
  await unsubscribe(ctx, { user, issueId: purpose.issueId, texts: textsFor(ctx.config, user.language) }, false)
}

/** A mail that was fetched, for a token of ours. */
export interface TakenMail {
  readonly purpose: MailPurpose
  readonly headers: MailHeaders
  readonly source: Buffer
}

/**
 * Has a mail become a comment, once: whoever the address belongs to says what is new in it, if they may comment at this
 * moment, with the files that may be attached. A mail that has become one already changes nothing.
 * @throws Refusal where they may not, nothing is left to say, or they have said too much within the hour
 */
export async function commentByMail(ctx: Ctx, mail: TakenMail, signal: AbortSignal): Promise<void> {
  const key = keyOf(mail)
  if (await isTaken(ctx.db, key)) return
  const user = await getWriter(ctx, mail.purpose)
  const nowMs = ctx.clock.nowMs()
  if ((await countTakenSince(ctx.db, user.id, nowMs - hourMs)) >= ctx.config.ingot.maxMailCommentsPerHour) {
    throw new TooManyRequests('too many comments by mail within the hour', 'mail_comments', {})
  }
  const { ctx: opened, issue } = await openIssue(ctx, mail.purpose, user)
  if (opened.repo.is_archived) throw new Archived('the repository is archived', 'repo_archived')
  const { text, files } = await readMail(mail.source)
  if (text === '') throw new NotFound('nothing new is in the mail', 'mail_empty')
  const note = async (tx: Tx): Promise<void> => {
    const values = { key, user_id: user.id, issue_id: issue.id, taken_ms: nowMs }
    // Another process has the same mail, and was first: this comment is undone.
    if (!(await insertTaken(tx, values))) throw new AlreadyTaken()
  }
  try {
    await addCommentWithFiles(opened, issue, { body: text, files, signal, beside: note })
  } catch (error) {
    if (!(error instanceof AlreadyTaken)) throw error
  }
}

class AlreadyTaken extends Error {}

/** The same for the same mail, by whichever way it comes again. */
function keyOf({ purpose, headers, source }: TakenMail): string {
  const id = headers.get('message-id') ?? ''
  const hash = createHash('sha256').update(JSON.stringify([purpose.userId, purpose.issueId, id]))
  return (id === '' ? hash.update(source) : hash).digest('base64url')
}

interface Incoming {
  readonly name: string
  readonly content: Readable
}

/** Signatures and invitations are parts of mails, and nothing that one attaches. */
const notAttached = /^(?:application\/(?:pgp-signature|(?:x-)?pkcs7-signature|ics)|text\/(?:calendar|vcard))$/

async function readMail(source: Buffer): Promise<{ readonly text: string; readonly files: readonly Incoming[] }> {
  // Loaded with the first mail.
  const { default: PostalMime } = await import('postal-mime')
  const mail = await PostalMime.parse(source, { maxNestingDepth: maxNesting, maxRfc822NestingDepth: 0 })
  const isPlain = (mail.text ?? '').trim() !== ''
  return {
    text: writtenIn(isPlain ? (mail.text as string) : textOfHtml(mail.html ?? '')),
    files: mail.attachments
      .filter((part) => part.related !== true && part.filename !== null && !notAttached.test(part.mimeType))
      .map((part) => ({ name: part.filename as string, content: Readable.from([bytesOf(part)]) })),
  }
}

const bytesOf = ({ content }: Attachment): Buffer =>
  typeof content === 'string' ? Buffer.from(content) : Buffer.from(content as Uint8Array)

/** Forgets mails that cannot come again: servers give up a mail after days. */
export const takenForMs = 30 * 24 * hourMs
