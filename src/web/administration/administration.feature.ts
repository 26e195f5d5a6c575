import type { Feature } from '../../access/feature.ts'
import * as auditPage from './audit/audit.page.tsx'
import * as emailsPage from './people/emails.page.tsx'
import * as flagsPage from './instance/flags.page.tsx'
import * as hooksPage from './instance/hooks.page.tsx'
import * as organizationsPage from './people/organizations.page.tsx'
import * as overviewPage from './instance/overview.page.tsx'
import * as packagesPage from './repositories/packages.page.tsx'
import * as peoplePage from './people/people.page.tsx'
import * as personPartsPage from './people/person-parts.page.tsx'
import * as quotaPage from './quota/quota.page.tsx'
import * as repositoriesPage from './repositories/repositories.page.tsx'
import * as runnersPage from './instance/runners.page.tsx'
import * as sourcesPage from './sources/sources.page.tsx'
import * as unadoptedPage from './repositories/unadopted.page.tsx'
import * as workPage from './instance/work.page.tsx'

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
