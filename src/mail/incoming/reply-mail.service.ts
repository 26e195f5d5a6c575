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
import { countHandledSince, insertHandled, isHandled } from './incoming-mail.store.ts'
import type { MailHeaders } from './mail-headers.rules.ts'
import { textOfHtml, newTextOf } from './reply-text.rules.ts'
import type { MailPurpose } from './reply-token.rules.ts'

const hourMs = 3_600_000

/** Deepest nesting of the parts of a mail. */
const maxNesting = 32

/** Returns the account of a token. Throws `NotFound` for accounts that may not sign in. */
async function getAuthor({ db }: Ctx, { userId }: MailPurpose): Promise<UserRow> {
  const user = await findUserById(db, userId)
  if (user?.kind !== 'individual' || !user.is_active || user.prohibit_login) {
    throw new NotFound('the account of the address may not sign in', 'mail_account')
  }
  return user
}

/** Returns the issue of a token. Throws `NotFound` when the author may not read it now. */
async function openIssue(
  ctx: Ctx,
  { issueId }: MailPurpose,
  user: UserRow,
): Promise<{ readonly ctx: SignedInRepoCtx; readonly issue: IssueRow }> {
  const row = await findIssueById(ctx.db, issueId)
  const repository = row && (await loadReposWithOwners(ctx.db, [row.repo_id])).get(row.repo_id)
  if (!row || !repository) throw new NotFound('the issue does not exist', 'issue_not_found')
  const viewer = viewerAs(user)
  const opened = { ...ctx, viewer, ...(await openRepo({ ...ctx, viewer }, repository.owner, repository.repo)) }
  return { ctx: opened, issue: await getReadableIssue(opened, row.index) }
}

/** Ends the mails about an issue for the account of the token; anyone who has the address may do it. */
export async function unsubscribeByMail(ctx: Ctx, purpose: MailPurpose): Promise<void> {
  const user = await findUserById(ctx.db, purpose.userId)
  if (!user) throw new NotFound('the account of the address is deleted', 'mail_account')
  await unsubscribe(ctx, { user, issueId: purpose.issueId, texts: textsFor(ctx.config, user.language) }, false)
}

/** A fetched mail with a valid token. */
export interface ReplyMail {
  readonly purpose: MailPurpose
  readonly headers: MailHeaders
  readonly source: Buffer
}

/**
 * Adds the new text and the attachments of a mail as a comment of the account of its token. A mail that became a comment before
 * changes nothing. Throws `Refusal` when the account may not comment, the mail is empty, or the hourly limit is reached.
 */
export async function commentByMail(ctx: Ctx, mail: ReplyMail, signal: AbortSignal): Promise<void> {
  const key = keyOf(mail)
  if (await isHandled(ctx.db, key)) return
  const user = await getAuthor(ctx, mail.purpose)
  const nowMs = ctx.clock.nowMs()
  if ((await countHandledSince(ctx.db, user.id, nowMs - hourMs)) >= ctx.config.ingot.maxMailCommentsPerHour) {
    throw new TooManyRequests('too many comments by mail within the hour', 'mail_comments', {})
  }
  const { ctx: opened, issue } = await openIssue(ctx, mail.purpose, user)
  if (opened.repo.is_archived) throw new Archived('the repository is archived', 'repo_archived')
  const { text, files } = await readMail(mail.source)
  if (text === '') throw new NotFound('the mail has no new text', 'mail_empty')
  const note = async (tx: Tx): Promise<void> => {
    const values = { key, user_id: user.id, issue_id: issue.id, taken_ms: nowMs }
    // Another process handled the same mail first: roll this comment back.
    if (!(await insertHandled(tx, values))) throw new AlreadyHandled()
  }
  try {
    await addCommentWithFiles(opened, issue, { body: text, files, signal, beside: note })
  } catch (error) {
    if (!(error instanceof AlreadyHandled)) throw error
  }
}

class AlreadyHandled extends Error {}

/** Returns a key that is the same whenever the mail is received again. */
function keyOf({ purpose, headers, source }: ReplyMail): string {
  const id = headers.get('message-id') ?? ''
  const hash = createHash('sha256').update(JSON.stringify([purpose.userId, purpose.issueId, id]))
  return (id === '' ? hash.update(source) : hash).digest('base64url')
}

interface IncomingFile {
  readonly name: string
  readonly content: Readable
}

/** Signatures and invitations are not attachments. */
const notAttached = /^(?:application\/(?:pgp-signature|(?:x-)?pkcs7-signature|ics)|text\/(?:calendar|vcard))$/

async function readMail(source: Buffer): Promise<{ readonly text: string; readonly files: readonly IncomingFile[] }> {
  const { default: PostalMime } = await import('postal-mime')
  const mail = await PostalMime.parse(source, { maxNestingDepth: maxNesting, maxRfc822NestingDepth: 0 })
  const isPlain = (mail.text ?? '').trim() !== ''
  return {
    text: newTextOf(isPlain ? (mail.text as string) : textOfHtml(mail.html ?? '')),
    files: mail.attachments
      .filter((part) => part.related !== true && part.filename !== null && !notAttached.test(part.mimeType))
      .map((part) => ({ name: part.filename as string, content: Readable.from([bytesOf(part)]) })),
  }
}

const bytesOf = ({ content }: Attachment): Buffer =>
  typeof content === 'string' ? Buffer.from(content) : Buffer.from(content as Uint8Array)

/** How long handled mails are remembered; servers give up delivering a mail after days. */
export const rememberedMs = 30 * 24 * hourMs
