import { mayHere } from '../../../access/may-here.ts'
import type { RepoCtx } from '../../../access/context.ts'
import { canRead, inRepo } from '../../../access/repo.requirements.ts'
import { getRefChoice } from '../../../code/branches/ref-choice.service.ts'
import { compareRevisions } from '../../../code/commits/compare.service.ts'
import { findComparedSide, type ComparedSide } from '../../../code/commits/compared-side.service.ts'
import { readShownDiff } from '../../../code/commits/shown-diff.service.ts'
import { viewCommit, viewCommits } from '../../../code/statuses/commit-view.service.ts'
import { Moved, NotFound } from '../../../lib/errors.ts'
import { branchRef } from '../../../lib/refs.ts'
import { listRecentBranches } from '../../../pulls/recent-branch.service.ts'
import { findReadableOrigin } from '../../../repos/lists/fork-network.service.ts'
import { inRepositoryFrame } from '../../frames/repository-frame.tsx'
import { loadPullOffer } from '../../pulls/new-pull.ts'
import { page } from '../../shell/page.tsx'
import { pathOf } from '../../ui/paths.ts'
import { repositoryPath, revisionPath } from '../code-paths.ts'
import { comparePath } from '../../shared/compare/compare-address.ts'
import { namesOf } from './compare-names.ts'
import { CompareView } from './compare.view.tsx'
import { loadSideChoice, sideQuery } from './side-choice.ts'
import { highlightSides } from '../../ui/diff/highlight-sides.ts'
import { diffAddress, diffChoice, diffQuery, type DiffQueryValues } from '../../ui/diff/diff-request.ts'
import { integer, text } from '../../ui/fields.ts'
import { messageBody, subjectOf } from '../../../code/commits/message.rules.ts'

/** Commits of a comparison that are listed; the total counts all. */
const maxListed = 100

/** Returns where a pull request from a repository belongs: to its origin, when that takes pull requests of the viewer. */
async function targetOf(ctx: RepoCtx): Promise<Pick<RepoCtx, 'repo' | 'owner'>> {
  const origin = await findReadableOrigin(ctx)
  if (!origin || origin.rights.modeOf('pulls') === 0) return ctx
  return mayHere({ ...origin, viewer: ctx.viewer }).change.allowed ? origin : ctx
}

/**
 * Leads to the comparison of a branch with where it belongs: a branch of a fork is compared with the origin. Without a
 * branch, one is chosen there.
 */
export const newComparePage = page({
  path: '/{username}/{reponame}/compare',
  twin: 'repoCompareDiff',
  cost: 'usual',
  requires: [inRepo, canRead('code')],
  query: { base: text, head: text, open: integer, template: text },
  async load({ ctx, query }): Promise<object> {
    const { owner, repo } = ctx
    const target = await targetOf(ctx)
    const isHere = target.repo.id === repo.id
    if (isHere && query.head === undefined) {
      throw new Moved(303, pathOf(owner.name, repo.name, 'compare', repo.default_branch))
    }
    const wanted = query.base ?? repo.default_branch
    const isThere = (await ctx.git.readRef(target.repo.git_key, branchRef(wanted))) !== undefined
    const base = { repo: target.repo, owner: target.owner, name: isThere ? wanted : target.repo.default_branch }
    const head = { repo, owner, name: query.head ?? repo.default_branch }
    throw new Moved(303, comparePath(base, head, { open: query.open, template: query.template }))
  },
  meta: () => ({ title: '' }),
  view: () => <></>,
})

export const comparePage = page({
  path: '/{username}/{reponame}/compare/{filepath+}',
  twin: 'repoCompareDiff',
  query: { ...diffQuery, ...sideQuery, open: integer, template: text },
  requires: [inRepo, canRead('code')],
  cost: 'expensive',
  frame: inRepositoryFrame('code'),
  async load({ ctx, params, query }) {
    const { repo, owner } = ctx
    const names = namesOf(ctx, params.filepath)
    const head = await findComparedSide(ctx, names.head)
    if (!head) throw new NotFound(`${names.head} is in no fork of this repository`, 'fork_not_found')
    const base = { repo, owner, name: names.base }
    const isHere = head.repo.id === repo.id
    const isSame = isHere && head.name === base.name
    const side = query.choose ?? (isSame ? 'head' : undefined)
    const [ofBase, ofHead] = await Promise.all([
      getRefChoice(ctx),
      isHere ? undefined : getRefChoice({ db: ctx.db, repo: head.repo }),
    ])
    const shared = {
      base,
      head,
      refs: { base: ofBase, head: ofHead ?? ofBase },
      hasNetwork: repo.fork_id !== null || repo.num_forks > 0,
      isOpen: query.open !== undefined || query.template !== undefined,
    }
    if (side !== undefined) {
      const [choice, recent] = await Promise.all([
        loadSideChoice(ctx, { base, head, side }, query),
        isSame ? listRecentBranches(ctx) : [],
      ])
      return { ...shared, choice, recent, compared: undefined }
    }
    return { ...shared, choice: undefined, recent: [], compared: await loadCompared(ctx, params.filepath, head, query) }
  },
  meta: ({ base, head }, { params }) => ({
    title: `${base.name}...${head.name} · ${params.username}/${params.reponame}`,
    isUnlisted: true,
    withFurtherStyles: true,
  }),
  messages: ({ compared }) =>
    compared?.views.flatMap(({ commit }) => [subjectOf(commit.message), messageBody(commit.message)]) ?? [],
  view: CompareView,
})

/** Reads commits and changes between the sides, and what pull requests they allow. */
async function loadCompared(
  ctx: RepoCtx,
  range: string,
  headSide: ComparedSide,
  query: DiffQueryValues & { readonly template?: string },
) {
  const { repo, git } = ctx
  const { base, head, commits, total, at } = await compareRevisions(ctx, range)
  const names = namesOf(ctx, range)
  const [sole] = total === 1 ? commits : []
  const choice = diffChoice(query)
  const start = await git.mergeBase(at, base, head)
  const isHere = headSide.repo.id === repo.id
  const [diff, views, offer] = await Promise.all([
    readShownDiff(ctx, { base: start ?? base, head, at, ...choice }),
    // The message of a single commit becomes the text of a pull request.
    sole ? [await viewCommit(ctx, sole)] : viewCommits(ctx, commits.slice(0, maxListed)),
    loadPullOffer(ctx, names.base, headSide, sole?.message, query.template),
  ])
  return {
    total,
    views,
    isHere,
    offer,
    difference: {
      diff,
      ...choice,
      addressOf: diffAddress(repositoryPath(ctx, 'compare', `${names.base}...${names.head}`), choice),
      highlighted: await highlightSides(ctx, at, diff),
      fileAt: (side: 'old' | 'new', kind: 'src' | 'raw', path: string) =>
        revisionPath(
          side === 'new' ? headSide : ctx,
          kind,
          { kind: 'commit', name: side === 'new' ? head : (start ?? base) },
          path,
        ),
    },
  }
}
