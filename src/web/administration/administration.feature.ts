import type { Feature } from '../../access/feature.ts'
import * as auditPage from './audit.page.tsx'
import * as overviewPage from './overview.page.tsx'
import * as peoplePage from './people.page.tsx'
import * as workPage from './work.page.tsx'

/** The pages of administrators. */
export const webAdministration: Feature = { routes: [auditPage, overviewPage, peoplePage, workPage] }
