import { Type } from 'typebox'
import { renderToString } from 'preact-render-to-string'
import type { Ctx } from '../../access/context.ts'
import { bytesOf, operation } from '../../http/operation.ts'
import { bytes } from '../../http/reply.ts'
import { mayCreateOrgs } from '../../orgs/org.policy.ts'
import { browseRepos } from '../../repos/lists/browse.service.ts'
import { findPeople } from '../../users/user.service.ts'
import { inBrowser } from '../shell/browser.requirements.ts'
import { iconFiles } from '../shell/assets.ts'
import { iconScope } from '../ui/icon.tsx'
import { pathOf, withQuery } from '../ui/paths.ts'
import { PaletteView, type PaletteEntry } from './palette.view.tsx'
import { texts as all } from './texts.tsx'

const texts = all.palette

/** Entries of each kind. */
const sizes = { repositories: 8, people: 4 }

const firstRows = (limit: number) => ({ number: 1, limit, offset: 0 })

/** Answers the command palette with links to pages, repositories and people that the text names. */
export const palette = operation({
  base: 'site',
  scope: null,
  accepts: ['session'],
  method: 'GET',
  path: '/-/palette',
  load: 'expensive',
  requires: [inBrowser],
  query: { q: Type.Optional(Type.String()), from: Type.Optional(Type.String()) },
  reply: { 200: bytesOf('text/html') },
  async run({ ctx, query }) {
    const entries = await entriesFor(ctx, (query.q ?? '').trim(), query.from ?? '')
    const html = iconScope.during(iconFiles(ctx.config), () =>
      renderToString(<PaletteView entries={entries} subPath={ctx.config.server.subPath} />),
    )
    return bytes('text/html;charset=utf-8', html)
  },
})

async function entriesFor(ctx: Ctx, text: string, from: string): Promise<PaletteEntry[]> {
  const { viewer, config } = ctx
  const isOpen = viewer !== undefined || !(config.service.requireSigninView || config.serviceExplore.requireSigninView)
  const named = (entries: readonly PaletteEntry[]) =>
    entries.filter(({ label }) => label.toLowerCase().includes(text.toLowerCase()))
  const [repos, people] = await Promise.all([
    text !== ''
      ? isOpen && browseRepos(ctx, {}, { text }, firstRows(sizes.repositories))
      : viewer && browseRepos(ctx, { contributedToBy: viewer.id }, {}, firstRows(sizes.repositories)),
    text !== '' && isOpen && !config.serviceExplore.disableUsersPage
      ? findPeople(ctx, { text }, firstRows(sizes.people))
      : undefined,
  ])
  return [
    ...named(pagesOfRepository(from.slice(config.server.subPath.length))),
    ...(typeof repos === 'object' ? repos.repos : []).map(({ repo, owner }): PaletteEntry => ({
      label: `${owner.name}/${repo.name}`,
      to: pathOf(owner.name, repo.name),
      icon: repo.is_private ? 'lock' : 'repo',
    })),
    ...(people?.users ?? []).map((user): PaletteEntry => ({
      label: user.full_name === '' ? user.name : `${user.name} (${user.full_name})`,
      to: pathOf(user.name),
      icon: 'person',
    })),
    ...named(pagesFor(ctx)),
    ...(text === ''
      ? []
      : [{ label: texts.searchFor(text), to: withQuery('/search', { q: text }), icon: 'search' } as const]),
  ]
}

/** First parts of addresses that name no account. */
const places = new Set('user org admin explore search notifications issues pulls repo api - assets login'.split(' '))

/** Pages of the repository from which the palette was opened. They check the rights themselves. */
function pagesOfRepository(from: string): PaletteEntry[] {
  const [, owner, repo] = /^\/([^/]+)\/([^/]+)(?:\/|$)/.exec(from) ?? []
  if (owner === undefined || repo === undefined || places.has(owner) || repo === '-') return []
  const name = decoded(repo)
  const entry = (label: string, icon: PaletteEntry['icon'], ...parts: readonly string[]): PaletteEntry => ({
    label: texts.inRepository(name) + label,
    to: pathOf(decoded(owner), name, ...parts),
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
