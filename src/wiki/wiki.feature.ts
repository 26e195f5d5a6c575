import type { Feature } from '../access/feature.ts'
import { wikisCheck } from './doctor.service.ts'
import { indexWikiPages } from './index-wiki-pages.job.ts'
import * as pageRoutes from './page.routes.ts'
import * as rawRoutes from './raw.routes.ts'
import { indexChangedWiki } from './wiki.subscribers.ts'

/** Wikis: pages in a separate git repository. */
export const wiki: Feature = {
  routes: [pageRoutes, rawRoutes],
  subscribers: [indexChangedWiki],
  jobs: [indexWikiPages],
  doctor: [wikisCheck],
}
