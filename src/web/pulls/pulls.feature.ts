import type { Feature } from '../../access/feature.ts'
import * as newPullPage from './new-pull.page.tsx'
import * as pullActs from './pull-acts.page.tsx'
import * as pullCommitsPage from './pull-commits.page.tsx'
import * as pullFilesPage from './pull-files.page.tsx'
import * as pullPage from './pull.page.tsx'
import * as reviewActs from './review-acts.page.tsx'

/** The pages about pull requests. */
export const webPulls: Feature = {
  routes: [newPullPage, pullActs, pullCommitsPage, pullFilesPage, pullPage, reviewActs],
}
