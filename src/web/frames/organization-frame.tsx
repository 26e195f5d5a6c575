import type { ComponentChildren } from 'preact'
import type { Ctx, SubjectCtx } from '../../access/context.ts'
import { mode } from '../../access/rights.ts'
import { viewsModeIn } from '../../boards/saved-view.service.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import type { OrgMembership } from '../../orgs/membership.service.ts'
import type { OrgCtx } from '../../orgs/org.requirements.ts'
import { orgRoleOf } from '../../orgs/role.service.ts'
import type { BrowserCtx } from '../shell/browser-context.ts'
import type { Frame } from '../shell/page.tsx'
import type { IconName } from '../ui/icons.ts'
import { Link } from '../ui/link.tsx'
import { usePage } from '../ui/page-context.ts'
import { Tabs, Tag, type Tab } from '../ui/parts.tsx'
import { pathOf } from '../ui/paths.ts'
import { Avatar } from '../ui/person.tsx'
import { PersonFrame, type PersonTab } from './person-frame.tsx'
import { frameTexts } from '../languages/texts.ts'

const texts = frameTexts.organization

export type OrganizationTab =
  | 'repositories'
  | 'issues'
  | 'projects'
  | 'packages'
  | 'activity'
  | 'people'
  | 'teams'
  | 'settings'

/** What the tabs of an organization depend on. */
export interface OrganizationStanding {
  /** Undefined for guests. */
  readonly role: OrgMembership | undefined
  readonly readsProjects: boolean
}

/** Returns a path below `/org/{org}`. */
export const orgPath = (org: Pick<UserRow, 'name'>, ...parts: readonly (string | number)[]): string =>
  pathOf('org', org.name, ...parts)

/** Returns the viewer's standing in an organization. */
export async function loadStanding(ctx: Ctx, org: UserRow): Promise<OrganizationStanding> {
  const [role, viewsMode] = await Promise.all([
    ctx.viewer ? orgRoleOf({ ...ctx, viewer: ctx.viewer }, org) : undefined,
    viewsModeIn(ctx, org),
  ])
  return { role, readsProjects: viewsMode >= mode.read }
}

/** Returns the frame of the pages of an organization. */
export const inOrganizationFrame =
  (current: OrganizationTab): Frame<OrgCtx & BrowserCtx> =>
  async (ctx) => {
    const standing = await loadStanding(ctx, ctx.org)
    return (content) => (
      <OrganizationFrame org={ctx.org} standing={standing} current={current}>
        <div class="container">{content}</div>
      </OrganizationFrame>
    )
  }

/** Returns the frame of a page of an account, whose content has a container. */
export const inOwnerFrame =
  (current: OrganizationTab & PersonTab): Frame<SubjectCtx & BrowserCtx> =>
  async (ctx) => {
    const org = ctx.subject
    if (org.kind !== 'organization') {
      return (content) => (
        <PersonFrame person={org} current={current}>
          {content}
        </PersonFrame>
      )
    }
    const standing = await loadStanding(ctx, org)
    return (content) => (
      <OrganizationFrame org={org} standing={standing} current={current}>
        {content}
      </OrganizationFrame>
    )
  }

/** The tabs that the viewer may open. */
function tabsOf(org: UserRow, { role, readsProjects }: OrganizationStanding, current: OrganizationTab): readonly Tab[] {
  const { config } = usePage()
  const tab = (name: OrganizationTab, isShown: boolean, to: string, icon: IconName): readonly Tab[] =>
    isShown ? [{ label: texts[name], to, icon, isCurrent: current === name }] : []
  const at = pathOf(org.name)
  return [
    ...tab('repositories', true, at, 'repo'),
    ...tab('issues', true, orgPath(org, 'issues'), 'issue-opened'),
    ...tab('projects', readsProjects, orgPath(org, 'projects'), 'project'),
    ...tab('packages', config.packages.enabled, `${at}/-/packages`, 'package'),
    ...tab('activity', true, `${at}?tab=activity`, 'pulse'),
    ...tab('people', true, orgPath(org, 'members'), 'people'),
    ...tab('teams', role?.isMember === true, orgPath(org, 'teams'), 'organization'),
    ...tab('settings', role?.isOwner === true, orgPath(org, 'settings'), 'gear'),
  ]
}

/** Tags that say who sees the organization. */
export const VisibilityTag = ({ org }: { readonly org: UserRow }) =>
  org.visibility === 'public' ? null : (
    <Tag icon="lock">{org.visibility === 'private' ? texts.private : texts.limited}</Tag>
  )

/** Name and tabs of the pages of an organization. */
export const OrganizationFrame = ({
  org,
  standing,
  current,
  head,
  children,
}: {
  readonly org: UserRow
  readonly standing: OrganizationStanding
  readonly current: OrganizationTab
  /** Replaces the line with the name. */
  readonly head?: ComponentChildren
  readonly children: ComponentChildren
}) => (
  <>
    <div class="frame">
      <div class="container org-head">
        {head ?? (
          <div class="org-line">
            <Avatar person={org} size={24} />
            <strong>
              <Link to={pathOf(org.name)}>{org.full_name === '' ? org.name : org.full_name}</Link>
            </strong>
            <VisibilityTag org={org} />
          </div>
        )}
      </div>
      <Tabs label={texts.tabs} tabs={tabsOf(org, standing, current)} />
    </div>
    {children}
  </>
)
