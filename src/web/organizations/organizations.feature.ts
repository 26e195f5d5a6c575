import type { Feature } from '../../access/feature.ts'
import * as newOrganizationPage from './new-organization.page.tsx'

/** The pages of organizations and teams. */
export const webOrganizations: Feature = { routes: [newOrganizationPage] }
