import type { Feature } from '../access/feature.ts'
import { wikiChangeEffect } from './page-change.service.ts'
import * as pageRoutes from './page.routes.ts'

/** Pages beside the code, in a git repository of their own. */
export const wiki: Feature = {
  routes: [pageRoutes],
  refEffects: [wikiChangeEffect],
}
