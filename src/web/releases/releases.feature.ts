import type { Feature } from '../../access/feature.ts'
import * as releaseFilePage from './release-file.page.ts'
import * as releaseFormPage from './release-form.page.tsx'
import * as releasesPage from './releases.page.tsx'

/** The pages about releases. */
export const webReleases: Feature = { routes: [releaseFilePage, releaseFormPage, releasesPage] }
