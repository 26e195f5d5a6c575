import { mayHere } from '../../../access/may-here.ts'
import { Type } from 'typebox'
import type { RepoCtx } from '../../../access/context.ts'
import { repoUnderQuota } from '../../../access/quota/quota.requirements.ts'
import { canRead, canWrite, gitRepo, inRepo, notArchived } from '../../../access/repo.requirements.ts'
import { checkBranchName } from '../../../code/branches/branch-name.rules.ts'
import { presentBranches } from '../../../code/branches/branch.present.ts'
import {
  createBranch,
  getBranchPage,
  getDivergences,
  removeBranch,
  renameBranch,
} from '../../../code/branches/branch.service.ts'
import { pullsOfBranches } from '../../../pulls/branch-pulls.service.ts'
import { viewCommits } from '../../../code/statuses/commit-view.service.ts'
import { pageQuery } from '../../../http/schema.ts'
import { pluck } from '../../../lib/pluck.ts'
import { inRepositoryFrame } from '../../frames/repository-frame.tsx'
import { act, nothingTyped, page } from '../../shell/page.tsx'
import { BranchesView, type BranchEntry } from './branches.view.tsx'
import { repositoryPath, revisionPath } from '../code-paths.ts'
import { codeTexts as texts } from '../../languages/texts.ts'
import { text } from '../../ui/fields.ts'
import { subjectOf } from '../../../code/commits/message.rules.ts'

/** Branches on one page. */
const pageSize = 30

async function readBranches(
  ctx: RepoCtx,
  number: number,
  words: string,
): Promise<{ entries: BranchEntry[]; total: number }> {
  const slice = { number, limit: pageSize, offset: (number - 1) * pageSize }
  const { branches, total } = await getBranchPage(ctx, slice, words)
  const commits = await ctx.git.readCommits(
    ctx.repo.git_key,
    branches.map((branch) => branch.commit_oid),
  )
  const [presented, views, divergences, pulls] = await Promise.all([
    presentBranches(ctx, branches),
    viewCommits(ctx, commits),
    getDivergences(ctx, branches),
    pullsOfBranches(ctx, pluck(branches, 'name')),
  ])
  const entries = presented.flatMap((branch, index) => {
    const head = views[index]
    if (!head) return []
    const { name, protected: isProtected } = branch
    return [{ name, isProtected, head, divergence: divergences.get(head.commit.oid), pull: pulls.get(name) }]
  })
  return { entries, total }
}

export const branchesPage = page({
  path: '/{username}/{reponame}/branches',
  twin: 'repoListBranches',
  requires: [inRepo, gitRepo, canRead('code')],
  query: { page: pageQuery.page, q: text },
  cost: 'expensive',
  frame: inRepositoryFrame('code'),
  async load({ ctx, query }) {
    const number = Math.max(1, query.page ?? 1)
    const { repo, owner, rights } = ctx
    const words = query.q?.trim() ?? ''
    const { entries, total } = repo.is_empty ? { entries: [], total: 0 } : await readBranches(ctx, number, words)
    return {
      repository: { owner, repo },
      defaultBranch: repo.default_branch,
      entries,
      words,
      page: { number, total, pageSize },
      mayWrite: mayHere(ctx).push('code').allowed,
      mayAdministrate: rights.isAdmin,
    }
  },
  meta: ({ repository }) => ({
    title: `${texts.branches} · ${repository.owner.name}/${repository.repo.name}`,
    canonical: repositoryPath(repository, 'branches'),
  }),
  messages: ({ entries }) => entries.map(({ head }) => subjectOf(head.commit.message)),
  view: BranchesView,
})

export const createBranchAct = act({
  path: '/{username}/{reponame}/branches',
  twin: 'repoCreateBranch',
  cost: 'expensive',
  requires: [inRepo, gitRepo, canRead('code'), canWrite('code'), notArchived, repoUnderQuota('size:git:all')],
  fields: { name: Type.String(), from: text },
  again: branchesPage,
  problemFields: { branch_: 'name', ref_: 'name', tag_: 'name' },
  async run({ ctx, body }) {
    const name = body.name.trim()
    checkBranchName(name)
    await createBranch(ctx, name, { ref: body.from || undefined, branch: undefined })
    return { to: revisionPath(ctx, 'src', { kind: 'branch', name }), notice: texts.branchCreated(name) }
  },
})

export const renameBranchAct = act({
  path: '/{username}/{reponame}/branches/rename',
  twin: 'repoUpdateBranch',
  cost: 'expensive',
  requires: [inRepo, gitRepo, canRead('code'), canWrite('code'), notArchived],
  fields: { from: Type.String(), to: Type.String() },
  again: branchesPage,
  async run({ ctx, body }) {
    const name = body.to.trim()
    checkBranchName(name)
    await renameBranch(ctx, body.from, name)
    return { to: repositoryPath(ctx, 'branches'), notice: texts.branchRenamed(body.from, name) }
  },
})

export const deleteBranchAct = act({
  path: '/{username}/{reponame}/branches/delete',
  twin: 'repoDeleteBranch',
  cost: 'usual',
  requires: [inRepo, gitRepo, canRead('code'), canWrite('code'), notArchived],
  fields: { name: Type.String() },
  again: nothingTyped,
  async run({ ctx, body }) {
    await removeBranch(ctx, body.name)
    return { to: repositoryPath(ctx, 'branches'), notice: texts.branchDeleted(body.name) }
  },
})
