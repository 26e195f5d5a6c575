import type { RepoCtx, SignedInRepoCtx } from '../../../access/context.ts'
import { inRepo, repoAdmin } from '../../../access/repo.requirements.ts'
import type { InvitationId } from '../../../lib/ids.ts'
import { Invalid } from '../../../lib/errors.ts'
import { pageOf } from '../../../lib/paging.ts'
import { modeName } from '../../../orgs/team.present.ts'
import { pageOfTeams } from '../../../orgs/team.service.ts'
import {
  getPersonToShare,
  pageOfCollaborations,
  putCollaborator,
  removeCollaborator,
} from '../../../repos/people/collaboration.service.ts'
import {
  findOwnerTeam,
  getOwnerTeam,
  giveRepoToTeam,
  hasAllRepos,
  listRepoTeams,
  mayChangeTeams,
  refuseTeamChange,
  takeRepoFromTeam,
  teamHasRepo,
} from '../../../repos/people/team-repo.service.ts'
import { isMailAddress } from '../../../repos/invitations/invitation.rules.ts'
import { revokeInvitation } from '../../../repos/invitations/invitation.service.ts'
import { inRepositoryFrame } from '../../frames/repository-frame.tsx'
import { inSession } from '../../shell/browser.requirements.ts'
import { act, nothingTyped, page } from '../../shell/page.tsx'
import { CollaborationView } from './collaboration.view.tsx'
import { metaOf, repositoryOf, settingsPath } from './frame.tsx'
import { inviteFromPage, loadInvitations, takeInvitationLink } from '../../shared/invitations/invitations.ts'
import type { BrowserCtx } from '../../shell/browser-context.ts'
import { invitationTexts, repositorySettingsTexts } from '../../languages/texts.ts'
import { integer, textUpTo } from '../../ui/fields.ts'

const texts = repositorySettingsTexts.collaboration
const text = textUpTo(255)
const to = (ctx: RepoCtx): string => settingsPath(ctx, 'collaboration')

/** The number of teams that the form offers. */
const offeredTeams = 100

/** Returns the teams with the repository and those that can get it; undefined for a repository of a person. */
async function teamsOf(ctx: RepoCtx) {
  if (ctx.owner.kind !== 'organization') return undefined
  const first = pageOf({ limit: offeredTeams }, { ...ctx.config.api, maxResponseItems: offeredTeams })
  const [present, known] = await Promise.all([listRepoTeams(ctx), pageOfTeams(ctx, ctx.owner, first)])
  const ids = new Set(present.map((team) => team.id))
  return {
    present: present.map((team) => ({
      team,
      permission: modeName(team.access_mode),
      isFixed: hasAllRepos(team),
    })),
    offered: known.teams.filter((team) => !ids.has(team.id)).map((team) => team.name),
    mayChange: mayChangeTeams(ctx),
  }
}

export const collaborationPage = page({
  path: '/{username}/{reponame}/settings/collaboration',
  twin: 'repoAddCollaborator',
  cost: 'usual',
  requires: [inSession, inRepo, repoAdmin],
  query: { page: integer },
  frame: inRepositoryFrame('settings'),
  isSecret: true,
  async load({ ctx, query, call }) {
    const wanted = pageOf({ page: query.page }, ctx.config.api)
    const [people, teams, invitations] = await Promise.all([
      pageOfCollaborations(ctx, wanted),
      teamsOf(ctx),
      loadInvitations(ctx, { repoId: ctx.repo.id }),
    ])
    const { collaborators, total } = people
    return {
      repository: repositoryOf(ctx),
      collaborators: collaborators.map(({ user, mode }) => ({ user, permission: modeName(mode) })),
      total,
      page: wanted,
      teams,
      invitations,
      newLink: takeInvitationLink(ctx, { repoId: ctx.repo.id }, call),
    }
  },
  meta: ({ repository }) => metaOf('collaboration', repository),
  view: CollaborationView,
})

const problemFields = {
  user_not_found: 'collaborator',
  not_a_person: 'collaborator',
  collaborator_is_owner: 'collaborator',
  user_blocked: 'collaborator',
  email_invalid: 'collaborator',
  invitation_: 'collaborator',
} as const

const inviteTo = (
  ctx: SignedInRepoCtx & BrowserCtx,
  input: { readonly email?: string | undefined; readonly permission: string | undefined },
) =>
  inviteFromPage(ctx, { kind: 'repository', repo: ctx.repo, owner: ctx.owner }, input, { to: to(ctx), linkTo: to(ctx) })

/** Adds a collaborator, or changes the permission of one. A mail address is invited. */
export const putCollaboratorSubmit = act({
  path: '/{username}/{reponame}/settings/collaboration',
  twin: 'repoAddCollaborator',
  cost: 'usual',
  requires: [inRepo, repoAdmin],
  fields: { collaborator: text, permission: text },
  outlivesCredential: true,
  again: collaborationPage,
  problemFields,
  async run({ ctx, body }) {
    const named = body.collaborator ?? ''
    if (isMailAddress(named)) return inviteTo(ctx, { email: named, permission: body.permission })
    const person = await getPersonToShare(ctx, named)
    await putCollaborator(ctx, person, body.permission)
    return { to: to(ctx), notice: texts.saved(person.name) }
  },
})

export const removeCollaboratorSubmit = act({
  path: '/{username}/{reponame}/settings/collaboration/delete',
  twin: 'repoDeleteCollaborator',
  cost: 'usual',
  requires: [inRepo, repoAdmin],
  fields: { collaborator: text },
  again: nothingTyped,
  async run({ ctx, body }) {
    const person = await getPersonToShare(ctx, body.collaborator ?? '')
    await removeCollaborator(ctx, person)
    return { to: to(ctx), notice: texts.removed(person.name) }
  },
})

/** Makes an invitation whose link the page shows once. */
export const makeRepositoryLinkSubmit = act({
  path: '/{username}/{reponame}/settings/collaboration/invitations',
  twin: 'repoCreateInvitation',
  cost: 'usual',
  requires: [inRepo, repoAdmin],
  fields: { link_permission: text },
  outlivesCredential: true,
  again: nothingTyped,
  run: async ({ ctx, body }) => inviteTo(ctx, { permission: body.link_permission }),
})

export const revokeRepositoryInvitationSubmit = act({
  path: '/{username}/{reponame}/settings/collaboration/invitations/revoke',
  twin: 'repoRevokeInvitation',
  cost: 'usual',
  requires: [inRepo, repoAdmin],
  fields: { invitation: integer },
  async run({ ctx, body }) {
    await revokeInvitation(ctx, (body.invitation ?? 0) as InvitationId, { repoId: ctx.repo.id })
    return { to: to(ctx), notice: invitationTexts.revoked }
  },
})

export const addTeamSubmit = act({
  path: '/{username}/{reponame}/settings/collaboration/teams',
  twin: 'repoAddTeam',
  cost: 'usual',
  requires: [inRepo, repoAdmin],
  fields: { team: text },
  outlivesCredential: true,
  again: collaborationPage,
  problemFields: { team_has_repo: 'team', team_not_found: 'team' },
  async run({ ctx, body }) {
    refuseTeamChange(ctx)
    const team = await findOwnerTeam(ctx, (body.team ?? '').trim())
    if (!team) throw new Invalid(texts.noSuchTeam, 'team_not_found')
    if (await teamHasRepo(ctx, team)) throw new Invalid(texts.hasAlready, 'team_has_repo')
    await giveRepoToTeam(ctx, team, ctx.repo.id)
    return { to: to(ctx), notice: texts.teamAdded(team.name) }
  },
})

export const removeTeamSubmit = act({
  path: '/{username}/{reponame}/settings/collaboration/teams/delete',
  twin: 'repoDeleteTeam',
  cost: 'usual',
  requires: [inRepo, repoAdmin],
  fields: { team: text },
  again: nothingTyped,
  async run({ ctx, body }) {
    refuseTeamChange(ctx)
    const team = await getOwnerTeam(ctx, body.team ?? '')
    if (!(await takeRepoFromTeam(ctx, team, ctx.repo.id))) throw new Invalid(texts.hasNot, 'team_without_repo')
    return { to: to(ctx), notice: texts.teamRemoved(team.name) }
  },
})
