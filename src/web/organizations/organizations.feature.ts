import type { Feature } from '../../access/feature.ts'
import * as members from './members.page.tsx'
import * as newOrganization from './new-organization.page.tsx'
import * as teamEdit from './team-edit.page.tsx'
import * as team from './team.page.tsx'
import * as teams from './teams.page.tsx'

/** The pages of organizations and teams. */
export const webOrganizations: Feature = { routes: [members, newOrganization, team, teamEdit, teams] }
