import type { Feature } from '../access/feature.ts'
import * as gitHttpRoutes from './git-http.routes.ts'
import * as goGetRoutes from './go-get.routes.ts'

/** Git over HTTP. */
export const transport: Feature = {
  routes: [gitHttpRoutes, goGetRoutes],
}
