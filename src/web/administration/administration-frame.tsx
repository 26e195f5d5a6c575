import { MenuFrame } from '../frames/menu-frame.tsx'
import type { BrowserCtx } from '../shell/browser-context.ts'
import type { Frame } from '../shell/page.tsx'
import { texts } from './texts.tsx'

export type AdministrationPlace = 'overview' | 'people' | 'jobs' | 'tasks' | 'audit' | 'unadopted'

/** Returns the frame of the pages of the administration. */
export const inAdministration =
  (current: AdministrationPlace): Frame<BrowserCtx> =>
  async () => {
    const item = (place: AdministrationPlace, to: string) => ({
      label: texts[place],
      to,
      isCurrent: place === current,
    })
    const groups = [
      { title: texts.groups.instance, items: [item('overview', '/admin'), item('audit', '/admin/audit')] },
      { title: texts.groups.accounts, items: [item('people', '/admin/users'), item('unadopted', '/admin/unadopted')] },
      { title: texts.groups.work, items: [item('jobs', '/admin/jobs'), item('tasks', '/admin/monitor/cron')] },
    ]
    return (content) => (
      <MenuFrame label={texts.title} groups={groups}>
        {content}
      </MenuFrame>
    )
  }
