import { pageQuery } from '../../http/schema.ts'
import { pageOf } from '../../lib/paging.ts'
import { inOrg, orgMember, orgOwner } from '../../orgs/org.requirements.ts'
import { orgRoleOf } from '../../orgs/role.service.ts'
import { overviewOfTeams } from '../../orgs/team-overview.service.ts'
import { createTeam, pageOfTeams } from '../../orgs/team.service.ts'
import { inOrganizationFrame, orgPath } from '../frames/organization-frame.tsx'
import { inSession } from '../shell/browser.requirements.ts'
import { act, page } from '../shell/page.tsx'
import { teamFields, teamOf, teamProblems } from './team-form.ts'
import { NewTeamView, TeamsView } from './teams.view.tsx'
import { teamTexts as texts } from '../languages/texts.ts'

/** Shows the teams of an organization to its members. */
export const teamsPage = page({
  path: '/org/{org}/teams',
  twin: 'orgListTeams',
  cost: 'usual',
  requires: [inSession, inOrg, orgMember],
  query: pageQuery,
  frame: inOrganizationFrame('teams'),
  async load({ ctx, query }) {
    const { org, config } = ctx
    const at = pageOf({ limit: config.ui.membersPagingNum, ...query }, config.api)
    const [{ teams, total }, role] = await Promise.all([pageOfTeams(ctx, org, at), orgRoleOf(ctx, org)])
    return {
      org,
      isOwner: role.isOwner,
      teams: await overviewOfTeams(ctx, org, role, teams),
      total,
      page: at.number,
      pageSize: at.limit,
    }
  },
  meta: ({ org }) => ({ title: texts.titleOf(org.name) }),
  view: TeamsView,
})

/** Shows the form of a new team. */
export const newTeamPage = page({
  path: '/org/{org}/teams/new',
  twin: 'orgCreateTeam',
  cost: 'usual',
  requires: [inSession, inOrg, orgMember, orgOwner],
  frame: inOrganizationFrame('teams'),
  load: async ({ ctx }) => ({ org: ctx.org }),
  meta: ({ org }) => ({ title: `${texts.newTeam} · ${org.name}` }),
  view: NewTeamView,
})

export const createTeamSubmit = act({
  path: '/org/{org}/teams/new',
  twin: 'orgCreateTeam',
  cost: 'usual',
  requires: [inOrg, orgMember, orgOwner],
  fields: teamFields,
  again: newTeamPage,
  problemFields: teamProblems,
  async run({ ctx, body }) {
    const { lower_name: name } = await createTeam(ctx, ctx.org, teamOf(body))
    return { to: orgPath(ctx.org, 'teams', name), notice: texts.created }
  },
})
