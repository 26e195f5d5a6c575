import type { SignedInCtx } from '../../access/context.ts'
import { viewActs } from '../../activity/act-view.present.ts'
import { getFeed } from '../../activity/feed.service.ts'
import { pageQuery } from '../../http/schema.ts'
import type { InvitationId } from '../../lib/ids.ts'
import { Invalid, NotFound } from '../../lib/errors.ts'
import { pageOf } from '../../lib/paging.ts'
import { inOrg, namedTeam, teamMember, teamOrgOwner, type TeamCtx } from '../../orgs/org.requirements.ts'
import { orgRoleOf } from '../../orgs/role.service.ts'
import { presentTeam } from '../../orgs/team.present.ts'
import { overviewOfTeams } from '../../orgs/team-overview.service.ts'
import { addTeamMember, pageOfTeamMembers, removeTeamMember } from '../../orgs/team.service.ts'
import { mayGiveToTeams } from '../../repos/people/team-repo.policy.ts'
import {
  getRepoToGive,
  giveAllReposToTeam,
  giveRepoToTeam,
  pageOfTeamRepos,
  reposBeyondTeam,
  takeRepoFromTeam,
} from '../../repos/people/team-repo.service.ts'
import { loadViews } from '../../repos/repo.present.ts'
import { targetUser } from '../../users/subject.requirements.ts'
import { isMailAddress } from '../../repos/invitations/invitation.rules.ts'
import { revokeInvitation } from '../../repos/invitations/invitation.service.ts'
import { inOrganizationFrame, orgPath } from '../frames/organization-frame.tsx'
import { inSession } from '../shell/browser.requirements.ts'
import { act, page } from '../shell/page.tsx'
import { personNamed } from '../shared/person-named.ts'
import { TeamActivityView, TeamMembersView, TeamReposView } from './team.view.tsx'
import { inviteFromPage, loadInvitations, takeInvitationLink } from '../shared/invitations/invitations.ts'
import type { BrowserCtx } from '../shell/browser-context.ts'
import { invitationTexts, teamTexts as texts } from '../languages/texts.ts'
import { integer, textUpTo } from '../ui/fields.ts'

const text = textUpTo(255)

/** Most repositories that the field of a new repository completes. */
const maxOffered = 200

const shown = { requires: [inSession, inOrg, namedTeam, teamMember], frame: inOrganizationFrame('teams') } as const
const ofOwners = [inOrg, namedTeam, teamMember, teamOrgOwner] as const

/** Loads what both pages of a team show. */
async function loadHead(ctx: TeamCtx & SignedInCtx) {
  const { org, team } = ctx
  const [role, shown] = await Promise.all([orgRoleOf(ctx, org), presentTeam(ctx, team)])
  const [overview] = await overviewOfTeams(ctx, org, role, [team])
  return {
    org,
    team,
    isOwner: role.isOwner,
    isOn: overview?.isOn ?? false,
    levels: shown.units_map ?? {},
    counts: overview?.counts ?? { members: 0, repos: 0 },
  }
}

const metaOf = ({ org, team }: Pick<TeamCtx, 'org' | 'team'>) => ({ title: texts.titleOf(org.name, team.name) })

const inviteTo = (ctx: TeamCtx & SignedInCtx & BrowserCtx, email: string | undefined) => {
  const pages = { to: pathTo(ctx), linkTo: pathTo(ctx) }
  return inviteFromPage(ctx, { kind: 'team', team: ctx.team, org: ctx.org }, { email }, pages)
}

/** Shows a team with its members. */
export const teamPage = page({
  ...shown,
  path: '/org/{org}/teams/{team}',
  twin: 'orgListTeamMembers',
  cost: 'usual',
  query: pageQuery,
  isSecret: true,
  async load({ ctx, query, call }) {
    const at = pageOf({ limit: ctx.config.ui.membersPagingNum, ...query }, ctx.config.api)
    const [head, { members, total }] = await Promise.all([loadHead(ctx), pageOfTeamMembers(ctx, ctx.team, at)])
    const invitations = head.isOwner ? await loadInvitations(ctx, { teamId: ctx.team.id }) : undefined
    const newLink = takeInvitationLink(ctx, { teamId: ctx.team.id }, call)
    return { head, members, total, invitations, newLink, page: at.number, pageSize: at.limit }
  },
  meta: ({ head }) => metaOf(head),
  view: TeamMembersView,
})

/** Shows a team with its repositories. */
export const teamReposPage = page({
  ...shown,
  path: '/org/{org}/teams/{team}/repositories',
  twin: 'orgListTeamRepos',
  cost: 'usual',
  query: pageQuery,
  async load({ ctx, query }) {
    const { team, config } = ctx
    const at = pageOf({ limit: config.ui.repoSearchPagingNum, ...query }, config.api)
    const [head, found, missing] = await Promise.all([
      loadHead(ctx),
      pageOfTeamRepos(ctx, team, at),
      reposBeyondTeam(ctx, team, maxOffered),
    ])
    const [repos, beyond] = await Promise.all([loadViews(ctx, found.repos), loadViews(ctx, missing)])
    const isFixed = team.includes_all_repositories || team.access_mode === 4
    return {
      head,
      repos: repos.map(({ repo, owner, rights }) => ({
        repo,
        owner,
        mayRemove: !isFixed && mayGiveToTeams(rights).allowed,
      })),
      offered: beyond.filter(({ rights }) => mayGiveToTeams(rights).allowed).map(({ repo }) => repo.name),
      total: found.total,
      page: at.number,
      pageSize: at.limit,
    }
  },
  meta: ({ head }) => metaOf(head),
  view: TeamReposView,
})

/** Shows what happens in the repositories of a team. */
export const teamActivityPage = page({
  ...shown,
  path: '/org/{org}/teams/{team}/activity',
  twin: 'orgListTeamActivityFeeds',
  cost: 'usual',
  query: pageQuery,
  async load({ ctx, query }) {
    const at = pageOf({ limit: ctx.config.ui.feedPagingNum, ...query }, ctx.config.api)
    const source = { of: 'team', id: ctx.team.id, orgId: ctx.org.id } as const
    const [head, feed] = await Promise.all([loadHead(ctx), getFeed(ctx, source, undefined, at)])
    return {
      head,
      acts: await viewActs(ctx, feed.acts),
      page: at.number,
      isLast: at.offset + feed.acts.length >= feed.total && feed.bound === undefined,
    }
  },
  meta: ({ head }) => metaOf(head),
  view: TeamActivityView,
})

const pathTo = ({ org, team }: Pick<TeamCtx, 'org' | 'team'>, ...parts: readonly string[]): string =>
  orgPath(org, 'teams', team.lower_name, ...parts)

export const addTeamMemberSubmit = act({
  path: '/org/{org}/teams/{team}/members/add',
  twin: 'orgAddTeamMember',
  cost: 'usual',
  requires: ofOwners,
  fields: { username: text },
  again: teamPage,
  problemFields: { email_invalid: 'username', invitation_: 'username' },
  async run({ ctx, body }) {
    if (isMailAddress(body.username ?? '')) return inviteTo(ctx, body.username)
    const person = await personNamed(ctx, body.username, 'username')
    await addTeamMember(ctx, ctx.team, person)
    return { to: pathTo(ctx), notice: texts.memberAdded(person.name) }
  },
})

/** Makes an invitation whose link the page shows once. */
export const makeTeamLinkSubmit = act({
  path: '/org/{org}/teams/{team}/invitations',
  twin: null,
  cost: 'usual',
  requires: ofOwners,
  outlivesCredential: true,
  run: async ({ ctx }) => inviteTo(ctx, undefined),
})

export const revokeTeamInvitationSubmit = act({
  path: '/org/{org}/teams/{team}/invitations/revoke',
  twin: null,
  cost: 'usual',
  requires: ofOwners,
  fields: { invitation: integer },
  async run({ ctx, body }) {
    await revokeInvitation(ctx, (body.invitation ?? 0) as InvitationId, { teamId: ctx.team.id })
    return { to: pathTo(ctx), notice: invitationTexts.revoked }
  },
})

export const removeTeamMemberSubmit = act({
  path: '/org/{org}/teams/{team}/members/{username}/remove',
  twin: 'orgRemoveTeamMember',
  cost: 'usual',
  requires: [...ofOwners, targetUser],
  again: teamPage,
  async run({ ctx }) {
    await removeTeamMember(ctx, ctx.team, ctx.subject)
    return { to: pathTo(ctx), notice: texts.memberRemoved(ctx.subject.name) }
  },
})

/** Leaves a team, and the organization when it was the only team. */
export const leaveTeamSubmit = act({
  path: '/org/{org}/teams/{team}/leave',
  twin: null,
  cost: 'usual',
  requires: [inOrg, namedTeam, teamMember],
  again: teamPage,
  async run({ ctx }) {
    await removeTeamMember(ctx, ctx.team, ctx.viewer.user)
    const { isMember } = await orgRoleOf(ctx, ctx.org)
    return { to: isMember ? orgPath(ctx.org, 'teams') : '/', notice: texts.left(ctx.team.name) }
  },
})

export const addTeamRepoSubmit = act({
  path: '/org/{org}/teams/{team}/repositories/add',
  twin: 'orgAddTeamRepository',
  cost: 'usual',
  requires: [inOrg, namedTeam, teamMember],
  fields: { repository: text },
  again: teamReposPage,
  async run({ ctx, body }) {
    // People write the name of the organization too.
    const name = (body.repository ?? '').trim().split('/').at(-1) ?? ''
    const repo = await getRepoToGive(ctx, ctx.org, name).catch((error: unknown) => {
      // A wrong name is a problem of the field.
      throw error instanceof NotFound ? new Invalid(texts.noRepo, 'repo_not_found', { field: 'repository' }) : error
    })
    await giveRepoToTeam(ctx, ctx.team, repo.id)
    return { to: pathTo(ctx, 'repositories'), notice: texts.repoAdded(repo.name) }
  },
})

/** Gives all repositories of the organization to the team. */
export const addAllTeamReposSubmit = act({
  path: '/org/{org}/teams/{team}/repositories/add_all',
  twin: null,
  cost: 'usual',
  requires: ofOwners,
  async run({ ctx }) {
    const { count, hasMore } = await giveAllReposToTeam(ctx, ctx.team)
    return { to: pathTo(ctx, 'repositories'), notice: texts.allAdded(count, hasMore) }
  },
})

export const removeTeamRepoSubmit = act({
  path: '/org/{org}/teams/{team}/repositories/remove',
  twin: 'orgRemoveTeamRepository',
  cost: 'usual',
  requires: [inOrg, namedTeam, teamMember],
  fields: { repository: text },
  again: teamReposPage,
  async run({ ctx, body }) {
    const repo = await getRepoToGive(ctx, ctx.org, body.repository ?? '')
    await takeRepoFromTeam(ctx, ctx.team, repo.id)
    return { to: pathTo(ctx, 'repositories'), notice: texts.repoRemoved(repo.name) }
  },
})
