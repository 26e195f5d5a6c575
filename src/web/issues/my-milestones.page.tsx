import { switchedOn } from '../../access/requirements.ts'
import { getPersonalMilestones } from '../../issues/milestones/personal-milestones.service.ts'
import { pageOf } from '../../lib/paging.ts'
import { inSession } from '../shell/browser.requirements.ts'
import { page } from '../shell/page.tsx'
import { MyMilestonesView } from './my-milestones.view.tsx'
import { milestoneTexts as texts } from '../languages/texts.ts'
import { integer, text } from '../ui/fields.ts'

/** Lists the milestones of the repositories that the person owns or contributes to. */
export const myMilestonesPage = page({
  path: '/milestones',
  twin: null,
  cost: 'usual',
  requires: [
    switchedOn('milestonesDashboardEnabled', (config) => config.service.showMilestonesDashboardPage),
    inSession,
  ],
  query: { state: text, page: integer },
  async load({ ctx, query }) {
    const state = query.state === 'closed' ? 'closed' : 'open'
    const shown = pageOf({ page: query.page }, ctx.config.api)
    return { ...(await getPersonalMilestones(ctx, state === 'closed', shown)), state, shown } as const
  },
  meta: () => ({ title: texts.title, isUnlisted: true }),
  view: MyMilestonesView,
})
