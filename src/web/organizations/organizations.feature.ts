import type { Feature } from '../../access/feature.ts'
import * as actions from './actions.page.tsx'
import * as avatar from './avatar.page.ts'
import * as blocked from './blocked.page.tsx'
import * as hooks from './hooks.page.tsx'
import * as labels from './labels.page.tsx'
import * as members from './members.page.tsx'
import * as newOrganization from './new-organization.page.tsx'
import * as packages from './packages.page.tsx'
import * as settings from './settings.page.tsx'
import * as storage from './storage.page.tsx'
import * as teamEdit from './team-edit.page.tsx'
import * as team from './team.page.tsx'
import * as teams from './teams.page.tsx'

/** The pages of organizations and teams. */
export const webOrganizations: Feature = {
  routes: [
    actions,
    avatar,
    blocked,
    hooks,
    labels,
    members,
    newOrganization,
    packages,
    settings,
    storage,
    team,
    teamEdit,
    teams,
  ],
}
