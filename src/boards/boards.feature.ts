import type { Feature } from '../access/feature.ts'
import * as savedViewRoutes from './saved-view.routes.ts'

/** Saved views of issues and pull requests: lists, boards and timelines. */
export const boards: Feature = { routes: [savedViewRoutes] }
