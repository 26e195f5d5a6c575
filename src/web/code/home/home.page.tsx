import { mayHere } from '../../../access/may-here.ts'
import type { RepoCtx } from '../../../access/context.ts'
import { anyAccess, canRead, canWrite, inRepo, notArchived, repoAdmin } from '../../../access/repo.requirements.ts'
import { hasEnvironments } from '../../../actions/environments/environment.service.ts'
import { getRefChoice } from '../../../code/branches/ref-choice.service.ts'
import { getForkStanding, syncFork } from '../../../code/branches/sync-fork.service.ts'
import { findNamedCommit } from '../../../code/commits/named-commit.service.ts'
import { getLanguages } from '../../../code/languages/languages.service.ts'
import { loadLanguages } from '../../../code/languages/language-table.ts'
import { Moved, NotFound } from '../../../lib/errors.ts'
import { listRecentBranches } from '../../../pulls/recent-branch.service.ts'
import { getLatestRelease } from '../../../releases/release.service.ts'
import { listFailingMirrors } from '../../../repos/mirrors/failing-mirror.service.ts'
import { repoAvatarUrl } from '../../../repos/repo.present.ts'
import { replaceTopics, topicsOf } from '../../../repos/social/topic.service.ts'
import type { BrowserCtx } from '../../shell/browser-context.ts'
import { act, page } from '../../shell/page.tsx'
import { inRepositoryFrame } from '../../frames/repository-frame.tsx'
import { cloneAddresses } from './clone.view.tsx'
import { repositoryPath } from '../code-paths.ts'
import { mayEditHere } from '../editing.ts'
import { HomeView, type HomeProps } from './home.view.tsx'
import { readReadme } from './readme.ts'
import { readRoot, shownSubjects } from '../source.ts'
import { codeTexts as texts } from '../../languages/texts.ts'
import { topicsIn } from '../../shared/topics.ts'
import { textUpTo } from '../../ui/fields.ts'

/** Units whose pages stand for the home of a repository whose code the viewer may not read. */
const otherHomes = ['issues', 'releases', 'wiki', 'packages', 'actions'] as const

async function latestRelease(ctx: RepoCtx) {
  if (ctx.rights.modeOf('releases') === 0 || ctx.repo.num_releases === 0) return undefined
  return getLatestRelease(ctx).catch((error: unknown) => {
    if (error instanceof NotFound) return undefined
    throw error
  })
}

async function languagesOf(ctx: RepoCtx): Promise<HomeProps['about']['languages']> {
  const [sizes, table] = await Promise.all([getLanguages(ctx), loadLanguages()])
  return Object.entries(sizes).map(([name, sizeBytes]) => ({ name, sizeBytes, color: table.byName.get(name)?.color }))
}

async function homeOf(ctx: RepoCtx & BrowserCtx): Promise<HomeProps> {
  const { repo, owner, rights } = ctx
  const repository = { repo, owner }
  const [release, languages, deploys, failingMirrors] = await Promise.all([
    latestRelease(ctx),
    languagesOf(ctx),
    hasEnvironments(ctx),
    listFailingMirrors(ctx),
  ])
  const shared = {
    repository,
    repo,
    addresses: cloneAddresses(ctx),
    failingMirrors,
    about: { topics: topicsOf(ctx), languages, release, hasEnvironments: deploys, mayEdit: rights.isAdmin },
    mayWrite: mayHere(ctx).push('code').allowed,
    mayAdd: mayEditHere(ctx, { kind: 'branch', name: repo.default_branch }).isOffered,
  }
  if (repo.is_empty) return { ...shared, code: { kind: 'empty' } }
  const revision = await findNamedCommit(ctx.git, repo.git_key, repo.default_branch)
  if (!revision) return { ...shared, code: { kind: 'no_default' } }
  const [root, refs, commitCount, standing, recent] = await Promise.all([
    readRoot(ctx, revision),
    getRefChoice(ctx),
    ctx.git.countCommits(repo.git_key, { from: [revision.commit] }),
    getForkStanding(ctx),
    listRecentBranches(ctx),
  ])
  const readme = await readReadme(ctx, revision, { isRoot: true, entries: root.folder.entries })
  return { ...shared, code: { kind: 'shown', revision, ...root, refs, commitCount, standing, recent, readme } }
}

export const repositoryHomePage = page({
  path: '/{username}/{reponame}',
  twin: 'repoGet',
  requires: [inRepo],
  cost: 'expensive',
  frame: inRepositoryFrame('code'),
  async load({ ctx }) {
    if (ctx.rights.canRead('code')) return homeOf(ctx)
    const other = otherHomes.find((unit) => ctx.rights.modeOf(unit) > 0)
    if (!other) throw new NotFound('you may not read the code of this repository', 'unit_unavailable')
    throw new Moved(303, repositoryPath(ctx, other))
  },
  meta: ({ repo, repository }, { ctx }) => ({
    title: `${repository.owner.name}/${repo.name}${repo.description === '' ? '' : `: ${repo.description}`}`,
    description: repo.description,
    ...(repo.avatar_key === '' ? {} : { picture: repoAvatarUrl(ctx, repo) }),
    canonical: repositoryPath(repository),
    feeds: [
      { to: `${repositoryPath(repository)}.rss`, type: 'rss', title: `${repository.owner.name}/${repo.name}` },
      { to: `${repositoryPath(repository)}.atom`, type: 'atom', title: `${repository.owner.name}/${repo.name}` },
    ],
  }),
  messages: ({ code }) => (code.kind === 'shown' ? shownSubjects(code) : []),
  view: HomeView,
})

/** Replaces the topics, from the form beside the code. */
export const editTopicsSubmit = act({
  path: '/{username}/{reponame}/topics',
  edits: true,
  twin: 'repoUpdateTopics',
  cost: 'expensive',
  requires: [inRepo, anyAccess, repoAdmin],
  fields: { topics: textUpTo(4096) },
  again: repositoryHomePage,
  problemFields: { topic: 'topics', too_many_topics: 'topics' },
  async run({ ctx, body }) {
    await replaceTopics(ctx, topicsIn(body.topics))
    return { to: repositoryPath(ctx), notice: texts.topicsSaved }
  },
})

/** Gives the default branch of a fork the commits of its origin. */
export const syncForkSubmit = act({
  path: '/{username}/{reponame}/sync_fork',
  twin: 'repoSyncForkDefault',
  cost: 'expensive',
  requires: [inRepo, canRead('code'), notArchived, canWrite('code')],
  async run({ ctx }) {
    await syncFork(ctx, ctx.repo.default_branch)
    return { to: repositoryPath(ctx), notice: texts.forkSynced(ctx.repo.default_branch) }
  },
})
