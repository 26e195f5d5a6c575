import { mayHere } from '../../../access/may-here.ts'
import type { ComponentChildren } from 'preact'
import type { RepoCtx } from '../../../access/context.ts'
import { mayEditGitHooks } from '../../../repos/git-hooks/git-hook.policy.ts'
import { MenuFrame } from '../../frames/menu-frame.tsx'
import { inRepositoryFrame } from '../../frames/repository-frame.tsx'
import type { BrowserCtx } from '../../shell/browser-context.ts'
import type { Frame } from '../../shell/page.tsx'
import type { IconName } from '../../ui/icons.ts'
import { usePage, type PageFacts } from '../../ui/page-context.ts'
import { PageHead, type Tab } from '../../ui/parts.tsx'
import { pathOf } from '../../ui/paths.ts'
import { repositorySettingsTexts as texts } from '../../languages/texts.ts'

/** Pages of the settings, with their addresses below the settings. */
const pages = {
  general: ['', 'gear'],
  collaboration: ['collaboration', 'people'],
  branches: ['branches', 'git-branch'],
  tags: ['tags', 'tag'],
  mirrors: ['mirrors', 'mirror'],
  lfs: ['lfs', 'database'],
  keys: ['keys', 'key'],
  hooks: ['hooks', 'webhook'],
  gitHooks: ['hooks/git', 'terminal'],
  actions: ['actions/general', 'play'],
  secrets: ['actions/secrets', 'lock'],
  runners: ['actions/runners', 'server'],
} as const satisfies Readonly<Record<string, readonly [string, IconName]>>

export type SettingsPart = keyof typeof pages

const groups: readonly { readonly title?: keyof typeof texts.groups; readonly parts: readonly SettingsPart[] }[] = [
  { parts: ['general'] },
  { title: 'access', parts: ['collaboration', 'keys'] },
  { title: 'code', parts: ['branches', 'tags', 'mirrors', 'lfs'] },
  { title: 'automation', parts: ['hooks', 'gitHooks', 'actions', 'secrets', 'runners'] },
]

/** Returns whether the site has what the page is about, and the viewer may open it. */
function isOffered(part: SettingsPart, { isOwner }: SettingsRepository, { config, viewer }: PageFacts): boolean {
  const { security, actions, mirror, server } = config
  if (part === 'gitHooks') return viewer !== undefined && mayEditGitHooks(viewer, config).allowed
  if (part === 'hooks') return !security.disableWebhooks
  if (part === 'mirrors') return mirror.enabled
  if (part === 'lfs') return server.lfsStartServer
  if (part === 'actions') return actions.enabled
  if (part === 'secrets' || part === 'runners') return actions.enabled && isOwner
  return true
}

/** A repository, for the addresses of its pages. */
export type PageRepository = Pick<RepoCtx, 'repo' | 'owner'>

/** The repository whose settings a page shows. */
export interface SettingsRepository extends PageRepository {
  readonly isOwner: boolean
  /** Why nobody changes what an archived repository keeps; undefined: administrators may. */
  readonly fixed: string | undefined
}

export const repositoryOf = (ctx: RepoCtx): SettingsRepository => ({
  repo: ctx.repo,
  owner: ctx.owner,
  isOwner: ctx.rights.isOwner,
  fixed: mayHere(ctx).change.allowed ? undefined : texts.archived,
})

/** Returns a path below the settings of a repository. */
export const settingsPath = ({ owner, repo }: PageRepository, ...parts: readonly (string | number)[]): string =>
  pathOf(owner.name, repo.name, 'settings', ...parts)

export const metaOf = (part: SettingsPart, { owner, repo }: PageRepository) => ({
  title: texts.title(texts.parts[part], `${owner.name}/${repo.name}`),
  isUnlisted: true,
})

/** The menu of the settings beside the content. */
const SettingsMenu = ({
  repository,
  part: current,
  children,
}: {
  readonly repository: SettingsRepository
  readonly part: SettingsPart
  readonly children: ComponentChildren
}) => {
  const page = usePage()
  const item = (part: SettingsPart): Tab => ({
    label: texts.parts[part],
    to: settingsPath(repository, pages[part][0]),
    icon: pages[part][1],
    isCurrent: part === current,
  })
  return (
    <MenuFrame
      isInFrame
      label={texts.menu}
      groups={groups.map(({ title, parts }) => ({
        ...(title && { title: texts.groups[title] }),
        items: parts.filter((each) => isOffered(each, repository, page)).map(item),
      }))}
    >
      {children}
    </MenuFrame>
  )
}

/** Returns the frame of a page whose view shows its own heading. */
export const inSettings =
  (part: SettingsPart): Frame<RepoCtx & BrowserCtx> =>
  async (ctx) => {
    const wrap = await inRepositoryFrame('settings')(ctx)
    return (content) =>
      wrap(
        <SettingsMenu repository={repositoryOf(ctx)} part={part}>
          {content}
        </SettingsMenu>,
      )
  }

/** A page of the settings with the menu of all of them. */
export const SettingsFrame = ({
  repository,
  part,
  title = texts.parts[part],
  lead,
  acts,
  children,
}: {
  readonly repository: SettingsRepository
  readonly part: SettingsPart
  readonly title?: string
  readonly lead?: string
  readonly acts?: ComponentChildren
  readonly children: ComponentChildren
}) => (
  <SettingsMenu repository={repository} part={part}>
    <PageHead title={title} lead={lead}>
      {acts}
    </PageHead>
    {children}
  </SettingsMenu>
)
