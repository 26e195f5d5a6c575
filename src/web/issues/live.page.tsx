import { inRepo, issuesOrPullsEnabled } from '../../access/repo.requirements.ts'
import type { SignedInCtx } from '../../access/context.ts'
import { findBegin, followFeed, type FeedFilter, type FeedItem } from '../../feed/feed.service.ts'
import { eventStream, type StreamMessage } from '../../http/event-stream.ts'
import { bytesOf, operation } from '../../http/operation.ts'
import { pathNumber } from '../../http/schema.ts'
import { getReadableIssue } from '../../issues/issue.service.ts'
import type { IssueRow } from '../../db/tables/issues.ts'
import { inBrowser, inSession } from '../shell/browser.requirements.ts'
import { refresh } from '../shell/refresh.ts'
import { markOf } from './issue-props.ts'
import { text } from '../ui/fields.ts'

/** Events that one read returns. */
const readAtOnce = 20

async function* refreshes(
  ctx: SignedInCtx,
  { id }: IssueRow,
  { isBehind, items }: { readonly isBehind: boolean; readonly items: AsyncIterable<FeedItem> },
): AsyncGenerator<StreamMessage> {
  if (isBehind) yield refresh
  for await (const item of items) {
    const isOther = item.kind === 'entry' && item.entry.event.actorId !== ctx.viewer.id
    if (isOther && item.entry.event.issueId === id) yield refresh
  }
}

/** Tells the page of an issue or pull request when somebody else has changed it. */
export const followIssue = operation({
  method: 'GET',
  path: '/{username}/{reponame}/issues/{index}/live',
  params: { index: pathNumber },
  base: 'site',
  scope: null,
  accepts: ['session'],
  cost: 'waiting',
  requires: [inBrowser, inSession, inRepo, issuesOrPullsEnabled],
  query: {
    /** The mark of the state that the page shows: what changed before the stream began counts too. */
    seen: text,
  },
  reply: { 200: bytesOf('text/event-stream') },
  async run({ ctx, params, query, call }) {
    const filter: FeedFilter = { repoId: ctx.repo.id }
    const open = followFeed(ctx, filter, { after: await findBegin(ctx.db, undefined), limit: readAtOnce })
    // Read after the beginning of the stream, so that no change falls between them.
    const issue = await getReadableIssue(ctx, params.index)
    const isBehind = query.seen !== undefined && query.seen !== markOf(issue)
    return eventStream((signal) => refreshes(ctx, issue, { isBehind, items: open(signal) }), call)
  },
})
