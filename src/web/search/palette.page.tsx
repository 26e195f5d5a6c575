import { renderToString } from 'preact-render-to-string'
import type { Ctx, RepoCtx } from '../../access/context.ts'
import { mode } from '../../access/rights.ts'
import { resolveRepo } from '../../access/resolve-repo.ts'
import { findFiles } from '../../code/contents/find-file.service.ts'
import { bytesOf, operation } from '../../http/operation.ts'
import { findTitles, findTitlesEverywhere, type NamedIssue } from '../../issues/lists/title-search.service.ts'
import type { RepoWithOwner } from '../../issues/repo-with-owner.ts'
import { Forbidden, Moved, NotFound } from '../../lib/errors.ts'
import { mayCreateOrgs } from '../../orgs/org.policy.ts'
import { browseRepos } from '../../repos/lists/browse.service.ts'
import { findPeople } from '../../users/user.service.ts'
import { inBrowser } from '../shell/browser.requirements.ts'
import { iconFiles } from '../shell/assets.ts'
import { sendFragment } from '../shell/send-page.tsx'
import { iconScope } from '../ui/icon.tsx'
import { issueMark } from '../ui/issue-icon.tsx'
import { pathOf, withQuery } from '../ui/paths.ts'
import { PaletteView, type PaletteEntry } from './palette.view.tsx'
import { searchTexts } from '../languages/texts.ts'
import { text } from '../ui/fields.ts'

const texts = searchTexts.palette

/** Entries of each kind. */
const sizes = { repositories: 8, titles: 6, files: 6, people: 4 }

/** Shortest text that is looked for in paths of files: fewer letters are in most of them. */
const minFileText = 2

/** Longest text that is searched. */
const maxLength = 200

const firstRows = (limit: number) => ({ number: 1, limit, offset: 0 })

/** Answers the command palette with links to pages, repositories, issues, pull requests and people that the text names. */
export const palette = operation({
  base: 'site',
  scope: null,
  accepts: ['session'],
  method: 'GET',
  path: '/-/palette',
  cost: 'expensive',
  requires: [inBrowser],
  query: { q: text, from: text },
  reply: { 200: bytesOf('text/html') },
  async run({ ctx, query }) {
    const { subPath } = ctx.config.server
    const text = (query.q ?? '').trim().slice(0, maxLength)
    const repo = await repositoryAt(ctx, (query.from ?? '').slice(subPath.length))
    const found = await entriesFor(ctx, text, repo)
    const entries = text === '' ? found : [...found, ...searchesFor(ctx, text, repo)]
    const note = text !== '' && found.length === 0 ? texts.none(text) : undefined
    const html = iconScope.during(iconFiles(ctx.config), () =>
      renderToString(<PaletteView entries={entries} note={note} subPath={subPath} />),
    )
    return sendFragment(ctx, html)
  },
})

const readsCode = ({ repo, rights }: RepoCtx) => !repo.is_empty && rights.modeOf('code') >= mode.read

/** The searches that look for a text elsewhere than in names: first in the code of the repository, then everywhere. */
function searchesFor({ config }: Ctx, text: string, repo: RepoCtx | undefined): PaletteEntry[] {
  const everywhere = { label: texts.searchFor(text), to: withQuery('/search', { q: text }), icon: 'search' } as const
  if (!repo || !readsCode(repo) || config.serviceExplore.disableCodePage) return [everywhere]
  const { name } = repo.repo
  const to = withQuery(pathOf(repo.owner.name, name, 'search'), { q: text })
  return [{ label: texts.searchCode(name, text), to, icon: 'code' }, everywhere]
}

async function entriesFor(ctx: Ctx, text: string, repo: RepoCtx | undefined): Promise<PaletteEntry[]> {
  const { viewer, config } = ctx
  const isOpen = viewer !== undefined || !(config.service.requireSigninView || config.serviceExplore.requireSigninView)
  const isNamed = ({ label }: PaletteEntry) => label.toLowerCase().includes(text.toLowerCase())
  const isSearched = text !== '' && isOpen
  const [repos, people, titles, files] = await Promise.all([
    text === ''
      ? viewer && browseRepos(ctx, { contributedToBy: viewer.id }, {}, firstRows(sizes.repositories))
      : isOpen && browseRepos(ctx, {}, { text }, firstRows(sizes.repositories)),
    isSearched && !config.serviceExplore.disableUsersPage
      ? findPeople(ctx, { text }, firstRows(sizes.people))
      : undefined,
    repo ? titlesIn(repo, text) : isSearched ? titlesEverywhere(ctx, text) : [],
    repo && text.length >= minFileText && readsCode(repo) ? filesIn(repo, text) : [],
  ])
  const listed = (typeof repos === 'object' ? repos.repos : []).map(({ repo: found, owner }): PaletteEntry => ({
    label: `${owner.name}/${found.name}`,
    to: pathOf(owner.name, found.name),
    icon: found.is_private ? 'lock' : 'repo',
  }))
  return [
    ...(repo ? pagesOfRepository(repo).filter(isNamed) : []),
    ...listed.filter(isNamed),
    ...titles,
    ...files,
    // Those with the text in their description or topics.
    ...listed.filter((entry) => !isNamed(entry)),
    ...(people?.users ?? []).map((user): PaletteEntry => ({
      label: user.full_name === '' ? user.name : `${user.name} (${user.full_name})`,
      to: pathOf(user.name),
      icon: 'person',
    })),
    ...pagesFor(ctx).filter(isNamed),
  ]
}

const titlesIn = async (ctx: RepoCtx, text: string): Promise<readonly PaletteEntry[]> =>
  (await findTitles(ctx, text, sizes.titles)).map((issue) =>
    entryOf(ctx, { issue, repo: ctx.repo, owner: ctx.owner }, `#${issue.index}`),
  )

/** Files of the default branch whose path has the text. */
async function filesIn(ctx: RepoCtx, text: string): Promise<readonly PaletteEntry[]> {
  const { git, repo, owner } = ctx
  const branch = repo.default_branch
  const commit = await git.readRef(repo.git_key, `refs/heads/${branch}`)
  if (commit === undefined) return []
  const { paths } = await findFiles(ctx, commit, text)
  return paths.slice(0, sizes.files).map((path) => ({
    label: path,
    to: pathOf(owner.name, repo.name, 'src', 'branch', branch, path),
    icon: 'file',
  }))
}

const titlesEverywhere = async (ctx: Ctx, text: string): Promise<readonly PaletteEntry[]> =>
  (await findTitlesEverywhere(ctx, text, sizes.titles)).map((listed) =>
    entryOf(ctx, listed, `${listed.owner.name}/${listed.repo.name}#${listed.issue.index}`),
  )

function entryOf(
  { config }: Ctx,
  { issue, repo, owner }: RepoWithOwner & { readonly issue: NamedIssue },
  reference: string,
): PaletteEntry {
  const [icon, tone] = issueMark(issue, config.repositoryPullRequest.workInProgressPrefixes)
  const to = pathOf(owner.name, repo.name, issue.is_pull ? 'pulls' : 'issues', issue.index)
  return { label: issue.title, to, icon, tone, reference }
}

/** First parts of addresses that name no account. */
const reservedNames = new Set(
  'user org admin explore search notifications issues pulls repo api - assets login'.split(' '),
)

/** Returns the repository from whose pages the palette was opened, when the viewer may see it. */
async function repositoryAt(ctx: Ctx, from: string): Promise<RepoCtx | undefined> {
  const [, owner, repo] = /^\/([^/]+)\/([^/]+)(?:\/|$)/.exec(from) ?? []
  if (!ctx.viewer && ctx.config.service.requireSigninView) return undefined
  if (owner === undefined || repo === undefined || reservedNames.has(owner) || repo === '-') return undefined
  try {
    return { ...ctx, ...(await resolveRepo(ctx, decoded(owner), decoded(repo), () => '')) }
  } catch (error) {
    // Nothing to offer: the address names no repository, a former name, or one that is hidden.
    if (error instanceof NotFound || error instanceof Forbidden || error instanceof Moved) return undefined
    throw error
  }
}

/** Pages of the repository from which the palette was opened. They check the rights themselves. */
function pagesOfRepository({ repo, owner }: RepoCtx): PaletteEntry[] {
  const entry = (label: string, icon: PaletteEntry['icon'], ...parts: readonly string[]): PaletteEntry => ({
    label: texts.inRepository(repo.name) + label,
    to: pathOf(owner.name, repo.name, ...parts),
    icon,
  })
  const { repository } = texts
  return [
    entry(repository.code, 'code'),
    entry(repository.issues, 'issue-opened', 'issues'),
    entry(repository.newIssue, 'plus', 'issues', 'new'),
    entry(repository.pulls, 'git-pull-request', 'pulls'),
    entry(repository.actions, 'play', 'actions'),
    entry(repository.releases, 'tag', 'releases'),
    entry(repository.wiki, 'book', 'wiki'),
    entry(repository.branches, 'git-branch', 'branches'),
  ]
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    // A malformed escape is a name like any other; no repository has it.
    return part
  }
}

function pagesFor({ viewer, config }: Ctx): PaletteEntry[] {
  const { pages } = texts
  if (!viewer) {
    return [
      { label: pages.explore, to: '/explore/repos', icon: 'search' },
      { label: pages.api, to: '/api/swagger', icon: 'book' },
      { label: pages.signIn, to: '/user/login', icon: 'person' },
    ]
  }
  return [
    { label: pages.home, to: '/', icon: 'home' },
    { label: pages.notifications, to: '/notifications', icon: 'bell' },
    { label: pages.issues, to: '/issues', icon: 'issue-opened' },
    { label: pages.pulls, to: '/pulls', icon: 'git-pull-request' },
    { label: pages.explore, to: '/explore/repos', icon: 'search' },
    { label: pages.newRepository, to: '/repo/create', icon: 'plus' },
    { label: pages.newMigration, to: '/repo/migrate', icon: 'plus' },
    ...(mayCreateOrgs(config, viewer.user).allowed
      ? [{ label: pages.newOrganization, to: '/org/create', icon: 'organization' } as const]
      : []),
    { label: pages.organizations, to: '/user/settings/organization', icon: 'organization' },
    { label: pages.settings, to: '/user/settings', icon: 'gear' },
    { label: pages.tokens, to: '/user/settings/applications', icon: 'gear' },
    { label: pages.keys, to: '/user/settings/keys', icon: 'gear' },
    ...(viewer.isAdmin ? [{ label: pages.administration, to: '/admin', icon: 'gear' } as const] : []),
    { label: pages.api, to: '/api/swagger', icon: 'book' },
  ]
}
