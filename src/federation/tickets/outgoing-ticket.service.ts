import { randomUUID } from 'node:crypto'
import type { Ctx, Services, SignedInCtx } from '../../access/context.ts'
import { serverWork } from '../../access/server-work.ts'
import { accessTo } from '../../access/repo-access.ts'
import { transaction } from '../../db/database.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import type { SentWritingRow } from '../../db/tables/federation.ts'
import type { Event } from '../../events/catalogue.ts'
import { findIssueById } from '../../issues/issue.store.ts'
import { loadReposWithOwners } from '../../issues/repo-with-owner.store.ts'
import { loadComments } from '../../issues/timeline-entry.store.ts'
import { Forbidden, NotAcceptable, Unavailable } from '../../lib/errors.ts'
import { type Page, rowsAndTotal } from '../../lib/paging.ts'
import { formatUnix, nowUnix } from '../../lib/time.ts'
import { linkBases } from '../../markup/links.ts'
import { createActivity, noteOf, offerActivity } from '../activity.rules.ts'
import { isLocal, parsePlainAddress, personUrl, sameOrigin, ticketNoteUrl, ticketUrl } from '../address.rules.ts'
import { sendActivities } from '../deliveries/deliver-activities.job.ts'
import { idOf, typeOf, type Document } from '../document.rules.ts'
import { listFederatedAccounts } from '../peers/account.store.ts'
import { fetchDocument } from '../peers/fetch.service.ts'
import { PeerProblem } from '../peers/peer-problem.ts'
import { getServer } from '../peers/server.service.ts'
import { refuseReplay, type Signer } from '../peers/verify.service.ts'
import {
  countSentWritings,
  findSentWriting,
  insertSentWriting,
  listParticipants,
  listSentWritings,
  setResult,
} from './federated-writing.store.ts'

/** Most remote accounts that get one comment. */
const maxReceivers = 200

const rendered = (ctx: Ctx, body: string): Promise<string> => {
  const { rootUrl } = ctx.config.server
  const bases = linkBases({ rootUrl, context: '', mode: 'comment' })
  return ctx.texts.render(ctx, body, 'markdown', { mode: 'comment', rootUrl, bases })
}

/** Sends a comment of a local account to the remote participants of the issue. */
export async function sendComment(services: Services, { data }: Event<'issue.commented'>): Promise<void> {
  const { db, config } = services
  if (!config.federation.issuesEnabled || data.isPull) return
  const participants = await listParticipants(db, data.issueId, maxReceivers)
  const [remote] = await listFederatedAccounts(db, [data.doerId])
  if (participants.length === 0 || remote) return
  const found = (await loadReposWithOwners(db, [data.repoId])).get(data.repoId)
  const issue = await findIssueById(db, data.issueId)
  const comment = (await loadComments(db, [data.commentId])).get(data.commentId)
  if (!found || !issue || !comment) return
  const { repo, owner } = found
  // The repository may be private by now: other servers get what guests may read.
  const { rights } = await accessTo(db, undefined, owner, repo)
  if (!rights.canRead('issues')) return
  const note = noteOf({
    id: ticketNoteUrl(config, repo.id, issue.index, comment.id),
    author: personUrl(config, data.doerId),
    to: participants.map((row) => row.actor_url),
    context: ticketUrl(config, repo.id, issue.index),
    page: `${config.server.rootUrl}${owner.name}/${repo.name}/issues/${issue.index}#issuecomment-${comment.id}`,
    html: await rendered(serverWork(services), comment.content),
    markdown: comment.content,
    published: formatUnix(comment.created_unix),
  })
  const activity = createActivity(note)
  await transaction(db, (tx) =>
    sendActivities(
      tx,
      participants.map((row) => ({
        serverId: row.server_id,
        inboxUrl: row.inbox_url,
        sender: data.doerId,
        activity,
      })),
    ),
  )
}

/** An issue or a comment for a repository on another server. */
export interface RemoteWriting {
  /** Address of the repository's actor. */
  readonly repository: string
  /** Address of the issue to comment on; undefined opens a new issue. */
  readonly issue: string | undefined
  /** Title of a new issue. */
  readonly title: string
  readonly body: string
}

/**
 * Sends an issue or a comment to a repository on another server, and returns its local address. `NotAcceptable` when the
 * repository does not exist, `Unavailable` when its server does not answer.
 */
export async function sendWriting(ctx: SignedInCtx, writing: RemoteWriting): Promise<string> {
  const { db, config, clock, viewer } = ctx
  if (!config.federation.issuesEnabled) {
    throw new Forbidden('issues of other servers are switched off', 'issues_disabled')
  }
  const { repository, issue, title } = writing
  if (issue !== undefined && (!parsePlainAddress(issue) || !sameOrigin(issue, repository))) {
    throw new NotAcceptable('[issue]: must be an address on the server of the repository', 'not_an_issue')
  }
  const target = await findInbox(ctx, repository)
  const author = personUrl(config, viewer.id)
  const about = {
    id: `${author}/writings/${randomUUID()}`,
    author,
    to: [repository],
    html: await rendered(ctx, writing.body),
    markdown: writing.body,
    published: formatUnix(nowUnix(clock)),
  }
  const activity =
    issue === undefined
      ? offerActivity({ ...about, title, repository })
      : createActivity(noteOf({ ...about, context: issue, page: undefined }))
  await transaction(db, async (tx) => {
    if (issue === undefined) {
      const createdUnix = nowUnix(clock)
      const row = {
        user_id: viewer.id,
        object_url: about.id,
        repository_url: repository,
        title,
        created_unix: createdUnix,
      }
      await insertSentWriting(tx, row)
    }
    await sendActivities(tx, [{ ...target, sender: viewer.id, activity }])
  })
  return about.id
}

async function findInbox(ctx: SignedInCtx, repository: string) {
  const address = parsePlainAddress(repository)
  if (!address || isLocal(ctx.config, address)) {
    throw new NotAcceptable('[repository]: must be the address of a repository on another server', 'not_a_repository')
  }
  try {
    const document = await fetchDocument(ctx, repository, { share: ctx.viewer.user.lower_name })
    const inboxUrl = idOf(document['inbox']) ?? `${repository}/inbox`
    if (document['id'] !== repository || typeOf(document) !== 'Repository' || !sameOrigin(inboxUrl, repository)) {
      throw new PeerProblem('it is not the address of a repository', false)
    }
    const { id: serverId } = await getServer(ctx, repository)
    return { inboxUrl, serverId }
  } catch (error) {
    if (!(error instanceof PeerProblem)) throw error
    const message = `[repository]: cannot be read: ${error.message}`
    throw error.isTemporary ? new Unavailable(message, 'peer_silent') : new NotAcceptable(message, 'not_a_repository')
  }
}

/** Stores the address of an issue that another server accepted. Returns false when the `Accept` is about something else. */
export async function receiveTicketAnswer(
  ctx: Ctx,
  subject: UserRow,
  activity: Document,
  signer: Signer,
): Promise<boolean> {
  const offer = idOf(activity['object']) ?? ''
  const sent = await findSentWriting(ctx.db, subject.id, offer.replace(/\/activity$/, ''))
  const result = idOf(activity['result'])
  if (!sent || !sameOrigin(signer.actorUrl, sent.repository_url)) return false
  if (result === undefined || !parsePlainAddress(result) || !sameOrigin(result, sent.repository_url)) return true
  await transaction(ctx.db, async (tx) => {
    await refuseReplay(tx, signer, nowUnix(ctx.clock))
    await setResult(tx, sent.id, result)
  })
  return true
}

/** Returns one page of the issues that the caller opened on other servers. */
export async function getSentWritings(
  { db, viewer }: SignedInCtx,
  page: Page,
): Promise<{ readonly rows: SentWritingRow[]; readonly total: number }> {
  const [rows, total] = await rowsAndTotal(
    page,
    listSentWritings(db, viewer.id, page),
    countSentWritings(db, viewer.id),
  )
  return { rows, total }
}
