import { exploreSignIn } from '../../access/requirements.ts'
import { pageQuery } from '../../http/schema.ts'
import type { InvitationId } from '../../lib/ids.ts'
import { Invalid } from '../../lib/errors.ts'
import { pageOf } from '../../lib/paging.ts'
import { pageOfMembers, removeMember, rolesOfMembers, showMembership } from '../../orgs/member.service.ts'
import { inOrg, orgMember, orgOwner } from '../../orgs/org.requirements.ts'
import { orgRoleOf } from '../../orgs/role.service.ts'
import { addTeamMember, pageOfTeams } from '../../orgs/team.service.ts'
import { targetUser } from '../../users/subject.requirements.ts'
import { isMailAddress } from '../../repos/invitations/invitation.rules.ts'
import { revokeInvitation } from '../../repos/invitations/invitation.service.ts'
import { inOrganizationFrame, orgPath } from '../frames/organization-frame.tsx'
import { act, page } from '../shell/page.tsx'
import { pathOf } from '../ui/paths.ts'
import { MembersView } from './members.view.tsx'
import { personNamed } from '../shared/person-named.ts'
import { inviteFromPage, loadInvitations } from '../shared/invitations/invitations.ts'
import { invitationTexts, memberTexts as texts } from '../languages/texts.ts'
import { integer, textUpTo, tick } from '../ui/fields.ts'

const text = textUpTo(255)

/** Most teams that the form of a new member offers. */
const maxOfferedTeams = 200

/** Shows the members of an organization that the viewer may see. Members see all, with their roles. */
export const membersPage = page({
  path: '/org/{org}/members',
  twin: 'orgListPublicMembers',
  cost: 'usual',
  requires: [inOrg, exploreSignIn],
  query: pageQuery,
  frame: inOrganizationFrame('people'),
  async load({ ctx, query }) {
    const { org, viewer, config } = ctx
    const at = pageOf({ limit: config.ui.membersPagingNum, ...query }, config.api)
    const [{ users, total }, role] = await Promise.all([
      pageOfMembers(ctx, org, at, false),
      viewer ? orgRoleOf({ ...ctx, viewer }, org) : undefined,
    ])
    const isInsider = role?.isMember === true && !viewer?.limit.publicOnly
    const [roles, teams, invitations] = await Promise.all([
      isInsider && viewer ? rolesOfMembers(ctx, org, [...users, viewer.user]) : undefined,
      role?.isOwner ? pageOfTeams(ctx, org, { number: 1, limit: maxOfferedTeams, offset: 0 }) : undefined,
      role?.isOwner ? loadInvitations(ctx, { orgId: org.id }) : undefined,
    ])
    return {
      org,
      role,
      roles,
      own: viewer && roles?.get(viewer.id),
      people: users,
      total,
      page: at.number,
      pageSize: at.limit,
      teams: teams?.teams ?? [],
      invitations,
    }
  },
  meta: ({ org }) => ({ title: texts.titleOf(org.name) }),
  view: MembersView,
})

/** Puts a person on a team, which makes them a member. A mail address is invited. */
export const addMemberSubmit = act({
  path: '/org/{org}/members/add',
  twin: null,
  cost: 'usual',
  requires: [inOrg, orgOwner],
  fields: { username: text, team: integer },
  again: membersPage,
  problemFields: { not_a_person: 'username', email_invalid: 'username', invitation_: 'username' },
  async run({ ctx, body }) {
    const { teams } = await pageOfTeams(ctx, ctx.org, { number: 1, limit: maxOfferedTeams, offset: 0 })
    const team = teams.find(({ id }) => id === body.team)
    if (!team) throw new Invalid(texts.noTeam, 'team_not_found', { field: 'team' })
    const email = body.username ?? ''
    if (isMailAddress(email)) {
      const pages = { to: orgPath(ctx.org, 'members'), linkTo: orgPath(ctx.org, 'teams', team.lower_name) }
      return inviteFromPage(ctx, { kind: 'team', team, org: ctx.org }, { email }, pages)
    }
    const person = await personNamed(ctx, body.username, 'username')
    await addTeamMember(ctx, team, person)
    return { to: orgPath(ctx.org, 'members'), notice: texts.added(person.name, team.name) }
  },
})

/** Revokes an invitation to a team of the organization. */
export const revokeOrganizationInvitationSubmit = act({
  path: '/org/{org}/invitations/revoke',
  twin: 'orgRevokeInvitation',
  cost: 'usual',
  requires: [inOrg, orgOwner],
  fields: { invitation: integer },
  async run({ ctx, body }) {
    await revokeInvitation(ctx, (body.invitation ?? 0) as InvitationId, { orgId: ctx.org.id })
    return { to: orgPath(ctx.org, 'members'), notice: invitationTexts.revoked }
  },
})

/** Shows or hides the viewer's own membership. */
export const showMembershipSubmit = act({
  path: '/org/{org}/members/{username}/visibility',
  twin: 'orgPublicizeMember',
  cost: 'usual',
  requires: [inOrg, orgMember, targetUser],
  fields: { is_public: tick },
  async run({ ctx, body }) {
    const isPublic = body.is_public === true
    await showMembership(ctx, ctx.org, ctx.subject, isPublic)
    return { to: orgPath(ctx.org, 'members'), notice: isPublic ? texts.shown : texts.hidden }
  },
})

/** Removes a member from the organization and all of its teams. */
export const removeMemberSubmit = act({
  path: '/org/{org}/members/{username}/remove',
  twin: 'orgDeleteMember',
  cost: 'usual',
  requires: [inOrg, orgOwner, targetUser],
  async run({ ctx }) {
    await removeMember(ctx, ctx.org, ctx.subject)
    return { to: orgPath(ctx.org, 'members'), notice: texts.removed(ctx.subject.name) }
  },
})

/** Leaves the organization and all of its teams. */
export const leaveOrganizationOfPageSubmit = act({
  path: '/org/{org}/members/leave',
  twin: null,
  cost: 'usual',
  requires: [inOrg, orgMember],
  again: membersPage,
  async run({ ctx }) {
    await removeMember(ctx, ctx.org, ctx.viewer.user)
    // A private organization is hidden from the person now.
    return { to: ctx.org.visibility === 'private' ? '/' : pathOf(ctx.org.name), notice: texts.left(ctx.org.name) }
  },
})
