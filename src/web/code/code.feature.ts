import type { Feature } from '../../access/feature.ts'
import * as activityPage from './activity.page.tsx'
import * as blamePage from './blame.page.tsx'
import * as branchesPage from './branches.page.tsx'
import * as codeSearchPage from './code-search.page.tsx'
import * as commitPage from './commit.page.tsx'
import * as commitsPage from './commits.page.tsx'
import * as comparePage from './compare.page.tsx'
import * as editPage from './edit.page.tsx'
import * as findPage from './find.page.tsx'
import * as homePage from './home.page.tsx'
import * as peoplePage from './people.page.tsx'
import * as replayPage from './replay.page.tsx'
import * as sourcePage from './source.page.tsx'
import * as tagsPage from './tags.page.tsx'
import * as uploadPage from './upload.page.tsx'

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
