import type { Ctx, RepoCtx, SignedInRepoCtx } from '../../access/context.ts'
import { accessTo } from '../../access/repo-access.ts'
import { viewerAs } from '../../auth/viewer.ts'
import { isUniqueViolation, transaction } from '../../db/database.ts'
import type { FederatedWritingRow } from '../../db/tables/federation.ts'
import type { IssueRow } from '../../db/tables/issues.ts'
import { addComment, deleteComment, editComment } from '../../issues/comments/comment.service.ts'
import { createIssue, editIssue } from '../../issues/issue.service.ts'
import { findIssue, findIssueById } from '../../issues/issue.store.ts'
import { findCommentIn } from '../../issues/timeline-entry.store.ts'
import { NotAcceptable } from '../../lib/errors.ts'
import { nowUnix } from '../../lib/time.ts'
import { findUserById } from '../../users/user.store.ts'
import { offerAnswer } from '../activity.rules.ts'
import { instanceUrl, repositoryUrl, ticketIndex, ticketUrl } from '../address.rules.ts'
import { sendActivities } from '../deliveries/deliver-activities.job.ts'
import { idOf, typeOf, type Document } from '../document.rules.ts'
import type { PersonSigner } from '../follows/incoming-follow.service.ts'
import { refuseReplay } from '../peers/verify.service.ts'
import { bodyOf, ownObject, subjectsOf, ticketTitle } from './ticket.rules.ts'
import { findWriting, insertWriting } from './federated-writing.store.ts'

const refuse = (message: string): NotAcceptable => new NotAcceptable(message, 'writing_invalid')

const writingTypes = new Set(['Offer', 'Create', 'Update', 'Delete'])

/** Returns whether an activity is about issues or comments and the instance receives these. */
export const isWriting = ({ config }: Ctx, type: string): boolean =>
  config.federation.issuesEnabled && writingTypes.has(type)

/**
 * Receives an issue (`Offer` of a `Ticket`), a comment (`Create` of a `Note`), or an edit or deletion of one. The author has the
 * rights of any signed-in account. An activity that was received before changes nothing.
 */
export async function receiveWriting(ctx: Ctx & RepoCtx, activity: Document, signer: PersonSigner): Promise<void> {
  const author = await asAuthor(ctx, signer)
  switch (typeOf(activity)) {
    case 'Offer':
      return receiveOffer(author, activity, signer)
    case 'Create':
      return receiveNote(author, activity, signer)
    case undefined:
    default:
      return changeWriting(author, activity, signer)
  }
}

/** Returns the context of a request of the remote author. */
async function asAuthor(ctx: Ctx & RepoCtx, signer: PersonSigner): Promise<SignedInRepoCtx> {
  const user = await findUserById(ctx.db, signer.account.user_id)
  if (!user) throw refuse('[actor]: the account does not exist any more')
  const viewer = viewerAs(user)
  const { repo, owner } = ctx
  const { units, rights } = await accessTo(ctx.db, viewer, owner, repo)
  if (repo.is_archived) throw refuse('the repository is archived')
  if (!rights.canRead('issues')) throw refuse('the repository has no issues')
  return { ...ctx, viewer, units, rights }
}

async function receiveOffer(ctx: SignedInRepoCtx, activity: Document, signer: PersonSigner): Promise<void> {
  const { config, repo } = ctx
  const id = idOf(activity)
  if (id === undefined) throw refuse('[id]: is required')
  if (idOf(activity['target']) !== repositoryUrl(config, repo.id)) {
    throw refuse('[target]: must be the repository whose inbox this is')
  }
  const ticket = ownObject(activity, signer.actorUrl, 'Ticket')
  const [title, body] = [ticketTitle(ticket), bodyOf(ticket)]
  if (await findWriting(ctx.db, ticket.id)) return
  await once(() =>
    createIssue(ctx, {
      title,
      body,
      dueDate: undefined,
      async beside(tx, issue) {
        await refuseReplay(tx, signer, nowUnix(ctx.clock))
        await insertWriting(tx, writingOf(signer, ticket.id, issue, null))
        await sendActivities(tx, [
          {
            serverId: signer.server.id,
            inboxUrl: signer.account.inbox_url,
            // A repository has no key, so the instance signs.
            sender: 'instance',
            activity: offerAnswer(instanceUrl(config), id, ticketUrl(config, repo.id, issue.index)),
          },
        ])
      },
    }),
  )
}

async function receiveNote(ctx: SignedInRepoCtx, activity: Document, signer: PersonSigner): Promise<void> {
  const note = ownObject(activity, signer.actorUrl, 'Note')
  const issue = await findSubject(ctx, subjectsOf(note))
  const body = bodyOf(note)
  if (await findWriting(ctx.db, note.id)) return
  await once(() =>
    addComment(ctx, issue, {
      body,
      updatedAt: undefined,
      async beside(tx, comment) {
        await refuseReplay(tx, signer, nowUnix(ctx.clock))
        await insertWriting(tx, writingOf(signer, note.id, issue, comment.id))
      },
    }),
  )
}

/** Finds the issue of a note by its local address or by the address of a received issue or comment. */
async function findSubject(ctx: SignedInRepoCtx, urls: readonly string[]): Promise<IssueRow> {
  for (const url of urls) {
    const issue = await findIssueAt(ctx, url)
    if (issue && issue.repo_id === ctx.repo.id && !issue.is_pull) return issue
  }
  throw refuse('[object.context]: must be an issue of the repository whose inbox this is')
}

async function findIssueAt({ db, config, repo }: SignedInRepoCtx, url: string): Promise<IssueRow | undefined> {
  const index = ticketIndex(config, repo.id, url)
  if (index !== undefined) return findIssue(db, repo.id, index)
  const writing = await findWriting(db, url)
  return writing && findIssueById(db, writing.issue_id)
}

const writingOf = (
  signer: PersonSigner,
  objectUrl: string,
  issue: IssueRow,
  commentId: FederatedWritingRow['comment_id'],
): FederatedWritingRow => ({
  object_url: objectUrl,
  actor_id: signer.account.user_id,
  issue_id: issue.id,
  comment_id: commentId,
})

/** Ignores the unique violation when the same object is received twice at once. */
async function once(write: () => Promise<unknown>): Promise<void> {
  try {
    await write()
  } catch (error) {
    if (!isUniqueViolation(error)) throw error
  }
}

async function changeWriting(ctx: SignedInRepoCtx, activity: Document, signer: PersonSigner): Promise<void> {
  const writing = await findWriting(ctx.db, idOf(activity['object']) ?? '')
  const issue = writing && (await findIssueById(ctx.db, writing.issue_id))
  const isTheirs = writing?.actor_id === signer.account.user_id && issue?.repo_id === ctx.repo.id
  if (!writing || !issue || !isTheirs) {
    throw refuse('[object]: must be an issue or comment of the actor in this repository')
  }
  await transaction(ctx.db, (tx) => refuseReplay(tx, signer, nowUnix(ctx.clock)))
  const found = writing.comment_id === null ? undefined : await findCommentIn(ctx.db, ctx.repo.id, writing.comment_id)
  if (typeOf(activity) === 'Delete') {
    // Other accounts may have commented on the issue.
    if (!found) throw refuse('[object]: issues cannot be deleted')
    return deleteComment(ctx, issue, found.comment)
  }
  if (found) {
    const body = bodyOf(ownObject(activity, signer.actorUrl, 'Note'))
    await editComment(ctx, issue, found.comment, { body, updatedAt: undefined })
    return
  }
  const ticket = ownObject(activity, signer.actorUrl, 'Ticket')
  const change = { title: ticketTitle(ticket), body: bodyOf(ticket) }
  await editIssue(ctx, issue, { ...change, dueDate: undefined, unsetDueDate: undefined, updatedAt: undefined })
}
