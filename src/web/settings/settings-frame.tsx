import type { SignedInCtx } from '../../access/context.ts'
import type { Config } from '../../config/load-config.ts'
import { MenuFrame } from '../frames/menu-frame.tsx'
import type { BrowserCtx } from '../shell/browser-context.ts'
import type { PageMeta } from '../shell/document.tsx'
import type { Frame } from '../shell/page.tsx'
import type { IconName } from '../ui/icons.ts'
import type { Tab } from '../ui/parts.tsx'
import { settingsTexts as texts } from '../languages/texts.ts'

/** The browser of a signed-in person. */
export type PersonCtx = BrowserCtx & SignedInCtx

/** Pages of the settings, with their addresses below `/user/settings`. */
const pages = {
  profile: ['', 'person'],
  account: ['/account', 'gear'],
  appearance: ['/appearance', 'device-desktop'],
  notifications: ['/notifications', 'bell'],
  security: ['/security', 'shield'],
  sessions: ['/sessions', 'globe'],
  links: ['/links', 'link'],
  applications: ['/applications', 'key'],
  keys: ['/keys', 'lock'],
  actions: ['/actions', 'play'],
  hooks: ['/hooks', 'webhook'],
  organization: ['/organization', 'organization'],
  repos: ['/repos', 'repo'],
  packages: ['/packages', 'package'],
  storage: ['/storage_overview', 'database'],
  replies: ['/replies', 'comment'],
  blocked: ['/blocked_users', 'no-entry'],
} as const satisfies Readonly<Record<string, readonly [string, IconName]>>

export type SettingsPart = keyof typeof pages

const groups: readonly { readonly title: keyof typeof texts.groups; readonly parts: readonly SettingsPart[] }[] = [
  { title: 'person', parts: ['profile', 'account', 'appearance', 'notifications', 'replies'] },
  { title: 'access', parts: ['security', 'sessions', 'links', 'applications', 'keys'] },
  { title: 'things', parts: ['repos', 'organization', 'packages', 'storage', 'blocked'] },
  { title: 'automation', parts: ['actions', 'hooks'] },
]

/** Returns whether the site has what the page is about. */
function isOffered(part: SettingsPart, config: Config): boolean {
  if (part === 'hooks') return !config.security.disableWebhooks
  if (part === 'actions') return config.actions.enabled
  if (part === 'packages') return config.packages.enabled
  if (part === 'storage') return config.quota.enabled
  return true
}

/** Returns the path of a page of the settings. */
export const settingsPath = (part: SettingsPart): string => `/user/settings${pages[part][0]}`

const menuOf = (config: Config, current: SettingsPart) =>
  groups.map(({ title, parts }) => ({
    title: texts.groups[title],
    items: parts
      .filter((part) => isOffered(part, config))
      .map((part): Tab => ({
        label: texts.parts[part],
        to: settingsPath(part),
        icon: pages[part][1],
        isCurrent: part === current,
      })),
  }))

/** Returns the frame of a page of the settings. */
export const inSettings =
  (current: SettingsPart): Frame<PersonCtx> =>
  async ({ config }) =>
  (content) => (
    <MenuFrame label={texts.settings} groups={menuOf(config, current)}>
      {content}
    </MenuFrame>
  )

/** Returns the head of a page of the settings. */
export const settingsMeta = (part: SettingsPart): PageMeta => ({
  title: texts.titleOf(texts.parts[part]),
  isUnlisted: true,
})
