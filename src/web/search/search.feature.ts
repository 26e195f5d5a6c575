import type { Feature } from '../../access/feature.ts'
import * as palettePage from './palette.page.tsx'
import * as robotsRoutes from './robots.routes.ts'
import * as searchPage from './search.page.tsx'

/** The pages that search, and what search engines may read. */
export const webSearch: Feature = { routes: [palettePage, robotsRoutes, searchPage] }
