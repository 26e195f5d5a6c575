import { Type } from 'typebox'
import { inRepo, issuesOrPullsEnabled, notArchived } from '../../access/repo.requirements.ts'
import { signedIn } from '../../access/requirements.ts'
import { operation, validBody } from '../../http/operation.ts'
import { created, paged } from '../../http/reply.ts'
import { pageQuery, pathNumber } from '../../http/schema.ts'
import { pageOf } from '../../lib/paging.ts'
import { presentIssues } from '../issue.present.ts'
import { noIssue } from '../issue.service.ts'
import { addRelation, getRelations, removeRelation } from './relation.service.ts'
import { IssueRelation, IssueRelationOption } from './relation.schemas.ts'

const path = '/repos/{username}/{reponame}/issues/{index}/relations'
const params = { index: pathNumber }

export const issueListRelations = operation({
  method: 'GET',
  path,
  cost: 'usual',
  params,
  scope: 'issue',
  requires: [inRepo, issuesOrPullsEnabled],
  query: pageQuery,
  reply: { 200: Type.Array(IssueRelation) },
  summary: 'List what an issue is related to',
  async run({ ctx, params, query }) {
    const page = pageOf(query, ctx.config.api)
    const all = await getRelations(ctx, params.index)
    const rows = all.slice(page.offset, page.offset + page.limit)
    const issues = await presentIssues(
      ctx,
      rows.map((row) => row.issue),
      [ctx],
    )
    return paged(
      rows.flatMap(({ word }, index) => {
        const issue = issues[index]
        return issue ? [{ relation: word, issue }] : []
      }),
      page,
      all.length,
    )
  },
})

export const issueCreateRelation = operation({
  method: 'POST',
  path,
  cost: 'usual',
  params,
  scope: 'issue',
  requires: [inRepo, issuesOrPullsEnabled, signedIn, notArchived, validBody],
  refuses: [409],
  body: IssueRelationOption,
  reply: { 201: IssueRelation },
  summary: 'Relate an issue to another one',
  async run({ ctx, params, body }) {
    const { word, issue } = await addRelation(ctx, params.index, body, body.relation)
    const [shown] = await presentIssues(ctx, [issue], [ctx])
    if (!shown) throw noIssue()
    return created({ relation: word, issue: shown })
  },
})

export const issueRemoveRelation = operation({
  method: 'DELETE',
  path,
  cost: 'usual',
  params,
  scope: 'issue',
  requires: [inRepo, issuesOrPullsEnabled, signedIn, notArchived, validBody],
  body: IssueRelationOption,
  reply: { 204: 'empty' },
  summary: 'End the relation of an issue to another one',
  run: ({ ctx, params, body }) => removeRelation(ctx, params.index, body, body.relation),
})
