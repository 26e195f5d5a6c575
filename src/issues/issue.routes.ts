import { gitRepo, inRepo, issuesOrPullsEnabled, notArchived, repoAdmin, canRead } from '../access/repo.requirements.ts'
import { anyone, signedIn } from '../access/requirements.ts'
import { operation, validBody } from '../http/operation.ts'
import { created, paged } from '../http/reply.ts'
import { cursorQuery, pageQuery, pathNumber } from '../http/schema.ts'
import { Type } from 'typebox'
import { formatUnix, zeroTime } from '../lib/time.ts'
import { ok } from '../http/reply.ts'
import { findIssues, listQuery, searchEverywhere, searchQuery } from './lists/list.service.ts'
import { askListAhead, presentIssueList, presentIssueState } from './lists/list.present.ts'
import { issueState } from './issue.requirements.ts'
import { presentIssue } from './issue.present.ts'
import { CreateIssueOption, EditDeadlineOption, EditIssueOption, Issue, IssueDeadline } from './issue.schemas.ts'
import { createIssue, deleteIssue, editIssue, getIssue, noIssue, setDeadline } from './issue.service.ts'

export const issueSearchIssues = operation({
  method: 'GET',
  path: '/repos/issues/search',
  scope: 'issue',
  cost: 'expensive',
  requires: [anyone],
  query: { ...searchQuery, ...pageQuery },
  reply: { 200: Type.Array(Issue) },
  summary: 'Search issues and pull requests of all repositories; the newest 5,000 that match',
  async run({ ctx, query }) {
    const { issues, page, total, bound } = await searchEverywhere(ctx, query)
    return paged(await presentIssueList(ctx, issues), page, total, { bound })
  },
})

export const issueListIssues = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/issues',
  cost: 'usual',
  scope: 'issue',
  requires: [inRepo, issuesOrPullsEnabled],
  query: { ...listQuery, ...pageQuery, ...cursorQuery },
  reply: { 200: Type.Array(Issue) },
  summary: 'List issues and pull requests of a repository',
  async run({ ctx, query }) {
    const finding = findIssues(ctx, query)
    const ahead = askListAhead(ctx, `${ctx.repo.id} ${JSON.stringify(query)}`)
    const { issues, page, total, bound, cursor } = await finding
    return paged(await presentIssueList(ctx, issues, [ctx], ahead), page, total, { bound, cursor })
  },
})

export const issueCreateIssue = operation({
  method: 'POST',
  path: '/repos/{username}/{reponame}/issues',
  cost: 'usual',
  scope: 'issue',
  refuses: [412],
  requires: [inRepo, issuesOrPullsEnabled, signedIn, notArchived, validBody, canRead('issues')],
  body: CreateIssueOption,
  reply: { 201: Issue },
  summary: 'Open an issue',
  run: async ({ ctx, body }) =>
    created(await presentIssue(ctx, await createIssue(ctx, { ...body, dueDate: body.due_date }), ctx)),
})

export const issueGetIssue = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/issues/{index}',
  cost: 'usual',
  scope: 'issue',
  requires: [inRepo, issuesOrPullsEnabled, issueState],
  reply: { 200: Issue },
  summary: 'Get an issue or a pull request',
  async run({ ctx }) {
    const issue = await presentIssueState(ctx, ctx.issueState, ctx)
    if (!issue) throw noIssue()
    return ok(issue)
  },
})

export const issueEditIssue = operation({
  method: 'PATCH',
  path: '/repos/{username}/{reponame}/issues/{index}',
  cost: 'usual',
  params: { index: pathNumber },
  scope: 'issue',
  refuses: [412],
  requires: [inRepo, issuesOrPullsEnabled, signedIn, validBody],
  body: EditIssueOption,
  reply: { 201: Issue },
  summary: 'Edit an issue or a pull request',
  async run({ ctx, params, body }) {
    const issue = await getIssue(ctx, params.index)
    const { due_date: dueDate, unset_due_date: unsetDueDate, updated_at: updatedAt, ...rest } = body
    const edited = await editIssue(ctx, issue, { ...rest, dueDate, unsetDueDate, updatedAt })
    return created(await presentIssue(ctx, edited, ctx))
  },
})

export const issueDelete = operation({
  method: 'DELETE',
  path: '/repos/{username}/{reponame}/issues/{index}',
  cost: 'usual',
  params: { index: pathNumber },
  scope: 'issue',
  requires: [inRepo, issuesOrPullsEnabled, signedIn, repoAdmin, gitRepo],
  reply: { 204: 'empty' },
  summary: 'Delete an issue or a pull request',
  run: async ({ ctx, params }) => deleteIssue(ctx, await getIssue(ctx, params.index)),
})

export const issueEditIssueDeadline = operation({
  method: 'POST',
  path: '/repos/{username}/{reponame}/issues/{index}/deadline',
  cost: 'usual',
  params: { index: pathNumber },
  scope: 'issue',
  requires: [inRepo, issuesOrPullsEnabled, signedIn, validBody],
  body: EditDeadlineOption,
  reply: { 201: IssueDeadline },
  summary: 'Set or remove the due date of an issue',
  async run({ ctx, params, body }) {
    const dueUnix = await setDeadline(ctx, await getIssue(ctx, params.index), body.due_date)
    return created({ due_date: dueUnix === 0 ? zeroTime : formatUnix(dueUnix) })
  },
})
