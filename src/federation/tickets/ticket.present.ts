import type { Ctx, RepoCtx } from '../../access/context.ts'
import type { SentWritingRow } from '../../db/tables/federation.ts'
import type { IssueRow } from '../../db/tables/issues.ts'
import { formatUnix } from '../../lib/time.ts'
import { forgeContext } from '../actors/actor.present.ts'
import type { ActivityStreamsObject } from '../actors/actor.schemas.ts'
import { personUrl, repositoryUrl, ticketUrl } from '../address.rules.ts'
import type { IssueElsewhere } from './ticket.schemas.ts'

/** Returns an issue as a ForgeFed `Ticket`. */
export function presentTicket({ config, repo, owner }: Ctx & RepoCtx, issue: IssueRow): ActivityStreamsObject {
  return {
    '@context': forgeContext,
    id: ticketUrl(config, repo.id, issue.index),
    type: 'Ticket',
    context: repositoryUrl(config, repo.id),
    attributedTo: personUrl(config, issue.poster_id),
    name: `#${issue.index}`,
    summary: issue.title,
    content: issue.content,
    mediaType: 'text/markdown',
    source: { content: issue.content, mediaType: 'text/markdown' },
    isResolved: issue.is_closed,
    url: `${config.server.rootUrl}${owner.name}/${repo.name}/issues/${issue.index}`,
    published: formatUnix(issue.created_unix),
    updated: formatUnix(issue.updated_unix),
  }
}

export const presentSent = (rows: readonly SentWritingRow[]): IssueElsewhere[] =>
  rows.map((row) => ({
    id: row.object_url,
    repository: row.repository_url,
    title: row.title,
    issue: row.result_url,
    created_at: formatUnix(row.created_unix),
  }))
