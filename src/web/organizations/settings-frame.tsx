import type { SignedInCtx } from '../../access/context.ts'
import type { Config } from '../../config/load-config.ts'
import type { OrgCtx } from '../../orgs/org.requirements.ts'
import { inOrganizationFrame, orgPath } from '../frames/organization-frame.tsx'
import { MenuFrame } from '../frames/menu-frame.tsx'
import type { BrowserCtx } from '../shell/browser-context.ts'
import type { PageMeta } from '../shell/document.tsx'
import type { Frame } from '../shell/page.tsx'
import type { IconName } from '../ui/icons.ts'
import { organizationSettingsTexts as texts } from '../languages/texts.ts'

/** The browser of an owner of the organization. */
export type OwnerCtx = BrowserCtx & OrgCtx & SignedInCtx

/** Pages of the settings, with their addresses below `/org/{org}/settings`. */
const pages = {
  profile: [[], 'organization'],
  labels: [['labels'], 'tag'],
  packages: [['packages'], 'package'],
  storage: [['storage_overview'], 'database'],
  blocked: [['blocked_users'], 'no-entry'],
  actions: [['actions'], 'play'],
  hooks: [['hooks'], 'webhook'],
} as const satisfies Readonly<Record<string, readonly [readonly string[], IconName]>>

export type OrgSettingsPart = keyof typeof pages

const groups: readonly { readonly title: keyof typeof texts.groups; readonly parts: readonly OrgSettingsPart[] }[] = [
  { title: 'organization', parts: ['profile', 'labels', 'blocked'] },
  { title: 'things', parts: ['packages', 'storage'] },
  { title: 'automation', parts: ['actions', 'hooks'] },
]

/** Returns whether the site has what the page is about. */
function isOffered(part: OrgSettingsPart, config: Config): boolean {
  if (part === 'hooks') return !config.security.disableWebhooks
  if (part === 'actions') return config.actions.enabled
  if (part === 'packages') return config.packages.enabled
  if (part === 'storage') return config.quota.enabled
  return true
}

/** Returns the path of a page of the settings. */
export const orgSettingsPath = (
  { org }: Pick<OrgCtx, 'org'>,
  part: OrgSettingsPart,
  ...parts: readonly (string | number)[]
): string => orgPath(org, 'settings', ...pages[part][0], ...parts)

/** Returns the frame of a page of the settings. */
export const inOrgSettings =
  (current: OrgSettingsPart): Frame<BrowserCtx & OrgCtx> =>
  async (ctx) => {
    const wrap = await inOrganizationFrame('settings')(ctx)
    const menu = groups
      .map(({ title, parts }) => ({
        title: texts.groups[title],
        items: parts
          .filter((part) => isOffered(part, ctx.config))
          .map((part) => ({
            label: texts.parts[part],
            to: orgSettingsPath(ctx, part),
            icon: pages[part][1],
            isCurrent: part === current,
          })),
      }))
      .filter(({ items }) => items.length > 0)
    return (content) =>
      wrap(
        <MenuFrame isInFrame label={texts.menu} groups={menu}>
          {content}
        </MenuFrame>,
      )
  }

/** Returns the head of a page of the settings. */
export const orgSettingsMeta = (part: OrgSettingsPart, { org }: Pick<OrgCtx, 'org'>): PageMeta => ({
  title: texts.titleOf(texts.parts[part], org.name),
  isUnlisted: true,
})
