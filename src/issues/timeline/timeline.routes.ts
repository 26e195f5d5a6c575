import { Type } from 'typebox'
import { inRepo, issuesOrPullsEnabled } from '../../access/repo.requirements.ts'
import { operation } from '../../http/operation.ts'
import { paged } from '../../http/reply.ts'
import { nullable, pageQuery, pathNumber } from '../../http/schema.ts'
import { pageOrWhole } from '../../lib/paging.ts'
import { changedBetween, changedBetweenQuery } from '../comments/changed-between.ts'
import { TimelineComment } from '../comments/comment.schemas.ts'
import { getReadableIssue } from '../issue.service.ts'
import { presentTimeline } from './timeline.present.ts'
import { getTimeline } from './timeline.service.ts'

export const issueGetCommentsAndTimeline = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/issues/{index}/timeline',
  cost: 'usual',
  params: { index: pathNumber },
  scope: 'issue',
  requires: [inRepo, issuesOrPullsEnabled],
  query: { ...changedBetweenQuery, ...pageQuery },
  reply: { 200: nullable(Type.Array(TimelineComment)) },
  summary: 'List everything that happened to an issue',
  async run({ ctx, params, query }) {
    const within = changedBetween(query)
    const issue = await getReadableIssue(ctx, params.index)
    const page = pageOrWhole(query, ctx.config.api)
    const { rows, hasMore } = await getTimeline(ctx, issue, within, page)
    const entries = await presentTimeline(ctx, issue, rows)
    // The total is the number of entries in the answer, and an empty answer is null (observed).
    return paged(entries.length > 0 ? entries : null, page, entries.length, {
      link: false,
      bound: hasMore && page.pageSize !== undefined ? 'total' : undefined,
    })
  },
})
