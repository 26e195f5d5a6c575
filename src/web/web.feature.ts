import type { Feature } from '../access/feature.ts'
import * as apiDocsRoutes from './api-docs.routes.tsx'
import * as assetRoutes from './assets.routes.ts'
import * as signInRoutes from './sign-in.routes.tsx'

/** Pages. */
export const web: Feature = {
  routes: [apiDocsRoutes, assetRoutes, signInRoutes],
}
