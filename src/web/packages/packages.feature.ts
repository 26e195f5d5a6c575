import type { Feature } from '../../access/feature.ts'
import * as packageFilePage from './package-file.page.ts'
import * as packageSettingsPage from './package-settings.page.tsx'
import * as packagesPage from './packages.page.tsx'

/** The pages of packages. */
export const webPackages: Feature = { routes: [packageFilePage, packageSettingsPage, packagesPage] }
