import type { BrowserCtx } from '../shell/browser-context.ts'
import { MenuFrame } from '../frames/menu-frame.tsx'
import type { IconName } from '../ui/icons.ts'
import type { Frame } from '../shell/page.tsx'
import { administrationTexts as texts } from '../languages/texts.ts'

const icons = {
  overview: 'pulse',
  hooks: 'webhook',
  audit: 'log',
  people: 'people',
  emails: 'mail',
  organizations: 'organization',
  signInSources: 'shield-lock',
  quota: 'law',
  repositories: 'repo',
  packages: 'package',
  unadopted: 'archive',
  runners: 'server',
  jobs: 'stopwatch',
  tasks: 'clock',
} as const satisfies Readonly<Record<string, IconName>>

type AdministrationSection = keyof typeof icons

/** Returns the frame of the pages of the administration. */
export const inAdministration =
  (current: AdministrationSection): Frame<BrowserCtx> =>
  async ({ config }) => {
    const item = (section: AdministrationSection, to: string, isShown = true) =>
      isShown ? [{ label: texts[section], to, icon: icons[section], isCurrent: section === current }] : []
    const groups = [
      {
        title: texts.groups.instance,
        items: [
          ...item('overview', '/admin'),
          ...item('hooks', '/admin/hooks', !config.security.disableWebhooks),
          ...item('audit', '/admin/audit'),
        ],
      },
      {
        title: texts.groups.accounts,
        items: [
          ...item('people', '/admin/users'),
          ...item('emails', '/admin/emails'),
          ...item('organizations', '/admin/orgs'),
          ...item('signInSources', '/admin/auths'),
          ...item('quota', '/admin/quota', config.quota.enabled),
        ],
      },
      {
        title: texts.groups.contents,
        items: [
          ...item('repositories', '/admin/repos'),
          ...item('unadopted', '/admin/unadopted'),
          ...item('packages', '/admin/packages'),
        ],
      },
      {
        title: texts.groups.work,
        items: [
          ...item('runners', '/admin/actions/runners'),
          ...item('jobs', '/admin/jobs'),
          ...item('tasks', '/admin/monitor/cron'),
        ],
      },
    ]
    return (content) => (
      <MenuFrame label={texts.title} groups={groups}>
        {content}
      </MenuFrame>
    )
  }
