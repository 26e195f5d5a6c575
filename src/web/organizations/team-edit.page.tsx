import type { RepoUnit } from '../../db/tables/repositories.ts'
import { Invalid } from '../../lib/errors.ts'
import { inOrg, namedTeam, teamMember, teamOrgOwner } from '../../orgs/org.requirements.ts'
import { presentTeam } from '../../orgs/team.present.ts'
import { editTeam, removeTeam } from '../../orgs/team.service.ts'
import { inOrganizationFrame, orgPath } from '../frames/organization-frame.tsx'
import { inSession } from '../shell/browser.requirements.ts'
import { act, page } from '../shell/page.tsx'
import { EditTeamView } from './team-edit.view.tsx'
import { aboutTeam, teamFields, teamOf, teamProblems, unitLevels } from './team-form.ts'
import { organizationTexts as commonTexts, teamTexts as texts } from '../languages/texts.ts'
import { textUpTo } from '../ui/fields.ts'

const ofOwners = [inOrg, namedTeam, teamMember, teamOrgOwner] as const

/** Shows the form of a team. */
export const editTeamPage = page({
  path: '/org/{org}/teams/{team}/edit',
  twin: 'orgEditTeam',
  cost: 'usual',
  requires: [inSession, ...ofOwners],
  frame: inOrganizationFrame('teams'),
  async load({ ctx }) {
    const { org, team } = ctx
    const shown = await presentTeam(ctx, team)
    const units = new Map(
      Object.entries(shown.units_map ?? {}).map(([key, word]) => [
        key.replace(/^repo\./, '') as RepoUnit,
        unitLevels.find((level) => level === word) ?? 'none',
      ]),
    )
    return { org, edited: { team, units } }
  },
  meta: ({ org, edited }) => ({ title: texts.titleOf(org.name, edited.team.name), isUnlisted: true }),
  view: EditTeamView,
})

export const editTeamSubmit = act({
  path: '/org/{org}/teams/{team}/edit',
  edits: true,
  twin: 'orgEditTeam',
  cost: 'usual',
  requires: ofOwners,
  fields: teamFields,
  again: editTeamPage,
  problemFields: teamProblems,
  async run({ ctx, body }) {
    const isOwners = ctx.team.access_mode === 4
    const { lower_name: name } = await editTeam(ctx, ctx.team, isOwners ? aboutTeam(body) : teamOf(body))
    return { to: orgPath(ctx.org, 'teams', name), notice: texts.saved }
  },
})

export const deleteTeamSubmit = act({
  path: '/org/{org}/teams/{team}/delete',
  twin: 'orgDeleteTeam',
  cost: 'usual',
  requires: ofOwners,
  fields: { confirm: textUpTo(255) },
  again: editTeamPage,
  async run({ ctx, body }) {
    if ((body.confirm ?? '').trim() !== ctx.team.name) {
      throw new Invalid(commonTexts.wrongName, 'confirm_wrong', { field: 'confirm' })
    }
    await removeTeam(ctx, ctx.team)
    return { to: orgPath(ctx.org, 'teams'), notice: texts.deleted(ctx.team.name) }
  },
})
