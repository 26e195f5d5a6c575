import type { Feature } from '../../access/feature.ts'
import * as activityPage from './activity/activity.page.tsx'
import * as blamePage from './files/blame.page.tsx'
import * as branchesPage from './refs/branches.page.tsx'
import * as codeSearchPage from './files/code-search.page.tsx'
import * as commitPage from './commits/commit.page.tsx'
import * as commitsPage from './commits/commits.page.tsx'
import * as comparePage from './commits/compare.page.tsx'
import * as editPage from './edit/edit.page.tsx'
import * as findPage from './files/find.page.tsx'
import * as homePage from './home/home.page.tsx'
import * as peoplePage from './activity/people.page.tsx'
import * as replayPage from './edit/replay.page.tsx'
import * as sourcePage from './files/source.page.tsx'
import * as tagsPage from './refs/tags.page.tsx'
import * as uploadPage from './edit/upload.page.tsx'

/** The pages about the code of a repository. */
export const webCode: Feature = {
  routes: [
    activityPage,
    blamePage,
    branchesPage,
    codeSearchPage,
    commitPage,
    commitsPage,
    comparePage,
    editPage,
    findPage,
    homePage,
    peoplePage,
    replayPage,
    sourcePage,
    tagsPage,
    uploadPage,
  ],
}
