import { mayDeleteHeadOnMerge } from './head-deletion.service.ts'
import { unitConfig } from '../../repos/unit-config.ts'
import { Type } from 'typebox'
import { repoUnderQuota } from '../../access/quota/quota.requirements.ts'
import { canRead, gitRepo, inRepo, notArchived, pullsEnabled } from '../../access/repo.requirements.ts'
import { signedIn } from '../../access/requirements.ts'
import { operation, validBody } from '../../http/operation.ts'
import { empty } from '../../http/reply.ts'
import { enumeration, pathNumber } from '../../http/schema.ts'
import { Invalid } from '../../lib/errors.ts'
import { cancelScheduledMerge, mergePull } from './merge.service.ts'
import { MergePullRequestOption } from '../pull.schemas.ts'
import { getStoredPull } from '../pull.service.ts'
import { updateHead } from '../pull-update.service.ts'

const readable = [inRepo, pullsEnabled, canRead('code'), gitRepo] as const

export const repoMergePullRequest = operation({
  method: 'POST',
  path: '/repos/{username}/{reponame}/pulls/{index}/merge',
  params: { index: pathNumber },
  scope: 'repository',
  cost: 'expensive',
  refuses: [405, 409],
  requires: [...readable, signedIn, notArchived, validBody, repoUnderQuota('size:git:all')],
  body: MergePullRequestOption,
  reply: { 200: 'empty', 201: 'empty' },
  summary: 'Merge a pull request',
  async run({ ctx, params, body }) {
    const style = body.Do ?? body.do
    if (style === undefined) throw new Invalid('[Do]: is required', 'invalid', { field: 'Do' })
    const stored = await getStoredPull(ctx, params.index)
    const outcome = await mergePull(ctx, stored, {
      style,
      title: body.MergeTitleField ?? body.merge_title_field ?? '',
      message: body.MergeMessageField ?? body.merge_message_field ?? '',
      mergeCommit: body.MergeCommitID ?? body.merge_commit_id ?? '',
      expectedHead: body.head_commit_id ?? '',
      isForced: body.force_merge ?? false,
      whenChecksSucceed: body.merge_when_checks_succeed ?? false,
      // A silent request follows the repository, as far as the branch may be deleted.
      deletesBranch:
        body.delete_branch_after_merge ??
        (unitConfig(ctx.units, 'pulls')?.default_delete_branch_after_merge === true &&
          (await mayDeleteHeadOnMerge(ctx, stored.pull))),
    })
    return outcome === 'scheduled' ? empty(201) : empty(200)
  },
})

export const repoCancelScheduledAutoMerge = operation({
  method: 'DELETE',
  path: '/repos/{username}/{reponame}/pulls/{index}/merge',
  cost: 'usual',
  params: { index: pathNumber },
  scope: 'repository',
  refuses: [409],
  requires: [...readable, signedIn, notArchived],
  reply: { 204: 'empty' },
  summary: 'Cancel a scheduled merge',
  run: async ({ ctx, params }) => cancelScheduledMerge(ctx, await getStoredPull(ctx, params.index)),
})

export const repoUpdatePullRequest = operation({
  method: 'POST',
  path: '/repos/{username}/{reponame}/pulls/{index}/update',
  params: { index: pathNumber },
  scope: 'repository',
  cost: 'expensive',
  refuses: [409],
  requires: [...readable, signedIn, repoUnderQuota('size:git:all')],
  query: { style: Type.Optional(enumeration('merge', 'rebase')) },
  reply: { 200: 'empty' },
  summary: 'Update the head branch of a pull request from its base',
  run: async ({ ctx, params, query }) =>
    updateHead(ctx, await getStoredPull(ctx, params.index), query.style ?? 'merge'),
})
