import type { Feature } from '../../access/feature.ts'
import * as packagePage from './packages.page.tsx'

/** The pages about packages. */
export const webPackages: Feature = { routes: [packagePage] }
