import type { Feature } from '../../access/feature.ts'
import * as newReleasePage from './new-release.page.ts'
import * as releaseFilePage from './release-file.page.ts'
import * as releaseFormPage from './release-form.page.tsx'
import * as releasesPage from './releases.page.tsx'

/** The pages about releases. */
export const webReleases: Feature = { routes: [newReleasePage, releaseFilePage, releaseFormPage, releasesPage] }
