import { Type } from 'typebox'
import { canRead, inRepo, issuesOrPullsEnabled, repoAdmin } from '../../access/repo.requirements.ts'
import { signedIn } from '../../access/requirements.ts'
import { operation } from '../../http/operation.ts'
import { ok } from '../../http/reply.ts'
import { pathNumber } from '../../http/schema.ts'
import { presentIssues } from '../issue.present.ts'
import { Issue, NewIssuePinsAllowed } from '../issue.schemas.ts'
import { getIssue } from '../issue.service.ts'
import { getPinned, getPinsAllowed, movePin, pin, unpin } from './pin.service.ts'

export const repoListPinnedIssues = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/issues/pinned',
  cost: 'usual',
  scope: 'issue',
  requires: [inRepo, issuesOrPullsEnabled, canRead('issues')],
  reply: { 200: Type.Array(Issue) },
  summary: 'List the pinned issues of a repository',
  run: async ({ ctx }) => ok(await presentIssues(ctx, await getPinned(ctx, false), [ctx])),
})

export const repoNewPinAllowed = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/new_pin_allowed',
  cost: 'usual',
  scope: 'repository',
  requires: [inRepo],
  reply: { 200: NewIssuePinsAllowed },
  summary: 'Tell whether another issue or pull request may be pinned',
  run: async ({ ctx }) => ok(await getPinsAllowed(ctx)),
})

export const pinIssue = operation({
  method: 'POST',
  path: '/repos/{username}/{reponame}/issues/{index}/pin',
  cost: 'usual',
  params: { index: pathNumber },
  scope: 'issue',
  requires: [inRepo, issuesOrPullsEnabled, signedIn, repoAdmin],
  reply: { 204: 'empty' },
  summary: 'Pin an issue',
  run: async ({ ctx, params }) => pin(ctx, await getIssue(ctx, params.index)),
})

export const unpinIssue = operation({
  method: 'DELETE',
  path: '/repos/{username}/{reponame}/issues/{index}/pin',
  cost: 'usual',
  params: { index: pathNumber },
  scope: 'issue',
  requires: [inRepo, issuesOrPullsEnabled, signedIn, repoAdmin],
  reply: { 204: 'empty' },
  summary: 'Unpin an issue',
  run: async ({ ctx, params }) => unpin(ctx, await getIssue(ctx, params.index)),
})

export const moveIssuePin = operation({
  method: 'PATCH',
  path: '/repos/{username}/{reponame}/issues/{index}/pin/{position}',
  cost: 'usual',
  params: { index: pathNumber, position: pathNumber },
  scope: 'issue',
  requires: [inRepo, issuesOrPullsEnabled, signedIn, repoAdmin],
  reply: { 204: 'empty' },
  summary: 'Move a pinned issue to another place',
  run: async ({ ctx, params }) => movePin(ctx, await getIssue(ctx, params.index), params.position),
})
