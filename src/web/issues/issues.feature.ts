import type { Feature } from '../../access/feature.ts'
import * as historyPage from './history.page.tsx'
import * as issuePage from './issue.page.tsx'
import * as labelPage from './label.page.tsx'
import * as listPage from './list.page.tsx'
import * as livePage from './live.page.tsx'
import * as milestonePage from './milestone.page.tsx'
import * as minePage from './mine.page.tsx'
import * as myMilestonesPage from './my-milestones.page.tsx'
import * as newPage from './new.page.tsx'
import * as uploadPage from './upload.page.ts'
import * as writingPage from './writing.page.tsx'

/** The pages about issues, and the parts that editors ask for. */
export const webIssues: Feature = {
  routes: [
    historyPage,
    issuePage,
    labelPage,
    listPage,
    livePage,
    milestonePage,
    minePage,
    myMilestonesPage,
    newPage,
    uploadPage,
    writingPage,
  ],
}
