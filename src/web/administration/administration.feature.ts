import type { Feature } from '../../access/feature.ts'
import * as auditPage from './audit.page.tsx'
import * as emailsPage from './emails.page.tsx'
import * as flagsPage from './flags.page.tsx'
import * as hooksPage from './hooks.page.tsx'
import * as organizationsPage from './organizations.page.tsx'
import * as overviewPage from './overview.page.tsx'
import * as packagesPage from './packages.page.tsx'
import * as peoplePage from './people.page.tsx'
import * as personPartsPage from './person-parts.page.tsx'
import * as quotaPage from './quota.page.tsx'
import * as repositoriesPage from './repositories.page.tsx'
import * as runnersPage from './runners.page.tsx'
import * as sourcesPage from './sources.page.tsx'
import * as unadoptedPage from './unadopted.page.tsx'
import * as workPage from './work.page.tsx'

/** The pages of administrators. */
export const webAdministration: Feature = {
  routes: [
    auditPage,
    emailsPage,
    flagsPage,
    hooksPage,
    organizationsPage,
    overviewPage,
    packagesPage,
    peoplePage,
    personPartsPage,
    quotaPage,
    repositoriesPage,
    runnersPage,
    sourcesPage,
    unadoptedPage,
    workPage,
  ],
}
