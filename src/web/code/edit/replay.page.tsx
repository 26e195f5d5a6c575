import { repoUnderQuota } from '../../../access/quota/quota.requirements.ts'
import type { RepoCtx, SignedInRepoCtx } from '../../../access/context.ts'
import { getRefChoice } from '../../../code/branches/ref-choice.service.ts'
import { replayMessage } from '../../../code/contents/file-change.rules.ts'
import { replayCommit } from '../../../code/contents/file-change.service.ts'
import { getCommit } from '../../../code/commits/named-commit.service.ts'
import { NotFound } from '../../../lib/errors.ts'
import { inRepositoryFrame } from '../../frames/repository-frame.tsx'
import { act, page } from '../../shell/page.tsx'
import { repositoryPath, shortOid } from '../code-paths.ts'
import {
  actRequires,
  chosenOptions,
  commitFields,
  comparison,
  editTarget,
  formRequires,
  problemFields,
  formData,
  titleOf,
  type CommitChoice,
} from './edit-form.ts'
import { ReplayView } from './replay.view.tsx'
import { codeTexts as texts } from '../../languages/texts.ts'

/** Returns the branch in the address of a form. Throws `NotFound` for an address that goes on below it. */
async function branchAt(ctx: RepoCtx, rest: string) {
  const at = await editTarget(ctx, rest)
  if (at.path !== '' || at.commit === undefined) throw new NotFound(texts.noSuchBranch, 'branch_not_found')
  return at
}

async function load(ctx: SignedInRepoCtx, sha: string, rest: string, isReverse: boolean) {
  const at = await branchAt(ctx, rest)
  const [commit, refs] = await Promise.all([getCommit(ctx, sha), getRefChoice(ctx)])
  const message = replayMessage(commit.message, commit.oid, isReverse)
  return { ...(await formData(ctx, at)), commit, isReverse, message, refs: { ...refs, tags: [], tagCount: 0 } }
}

async function replay(
  ctx: SignedInRepoCtx,
  { sha, filepath }: { readonly sha: string; readonly filepath: string },
  isReverse: boolean,
  choice: CommitChoice,
) {
  const { branch } = await branchAt(ctx, filepath)
  const commit = await getCommit(ctx, sha)
  const options = chosenOptions(branch, choice)
  const made = await replayCommit(ctx, commit, isReverse, options)
  if (options.newBranch !== undefined) return comparison(ctx, branch, made.branch)
  return { to: repositoryPath(ctx, 'commit', made.commit.oid), notice: texts.committedTo(made.branch) }
}

/** Asks for message and branch of a commit that reverts another. */
export const revertPage = page({
  path: '/{username}/{reponame}/_revert/{sha}/{filepath+}',
  twin: null,
  cost: 'usual',
  requires: formRequires,
  frame: inRepositoryFrame('code'),
  load: ({ ctx, params }) => load(ctx, params.sha, params.filepath, true),
  meta: (data) => titleOf(texts.reverting(shortOid(data.commit.oid)), data),
  view: ReplayView,
})

/** Asks for message and branch of a commit that repeats another. */
export const cherryPickPage = page({
  path: '/{username}/{reponame}/_cherrypick/{sha}/{filepath+}',
  twin: null,
  cost: 'usual',
  requires: formRequires,
  frame: inRepositoryFrame('code'),
  load: ({ ctx, params }) => load(ctx, params.sha, params.filepath, false),
  meta: (data) => titleOf(texts.cherryPicking(shortOid(data.commit.oid)), data),
  view: ReplayView,
})

export const revertCommit = act({
  path: '/{username}/{reponame}/_revert/{sha}/{filepath+}',
  twin: null,
  requires: [...actRequires, repoUnderQuota('size:repos:all')],
  fields: commitFields,
  cost: 'expensive',
  again: revertPage,
  problemFields,
  run: ({ ctx, params, body }) => replay(ctx, params, true, body),
})

export const cherryPickCommit = act({
  path: '/{username}/{reponame}/_cherrypick/{sha}/{filepath+}',
  twin: null,
  requires: [...actRequires, repoUnderQuota('size:repos:all')],
  fields: commitFields,
  cost: 'expensive',
  again: cherryPickPage,
  problemFields,
  run: ({ ctx, params, body }) => replay(ctx, params, false, body),
})
