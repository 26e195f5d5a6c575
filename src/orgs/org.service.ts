import type { Ctx, Services, SignedInCtx } from '../access/context.ts'
import { sightOf } from '../access/named-account.ts'
import { isUniqueViolation, transaction } from '../db/database.ts'
import type { UserRow, Visibility } from '../db/tables/accounts.ts'
import { repoUnits } from '../db/tables/repositories.ts'
import { publish } from '../events/hub.ts'
import { Forbidden, Invalid, NotFound } from '../lib/errors.ts'
import type { UserId } from '../lib/ids.ts'
import { type Page, rowsAndTotal } from '../lib/paging.ts'
import { nowUnix } from '../lib/time.ts'
import { holdAccount, publishAccountChange } from '../users/account-change.service.ts'
import { checkAccountName } from '../users/account-name.service.ts'
import { removeAccount } from '../users/account-removal.service.ts'
import { mayUseEmail } from '../users/email.rules.ts'
import { blankAccount, deleteRedirect, insertUser, updateUser } from '../users/user.store.ts'
import { mayUseWebsite } from '../users/website.rules.ts'
import { mayCreateOrgs } from './org.policy.ts'
import { countOrgs, deleteOrgRow, insertMember, listOrgs, listSolelyOwnedOrgs, type OrgFilter } from './org.store.ts'
import { insertTeam, insertTeamMember, replaceTeamUnits } from './team.store.ts'

/** What others see of an organization. Undefined: unchanged. */
export interface OrgProfile {
  readonly fullName: string | undefined
  readonly description: string | undefined
  readonly website: string | undefined
  readonly location: string | undefined
  readonly email?: string | undefined
  readonly visibility?: Visibility | undefined
  readonly repoAdminChangeTeamAccess?: boolean | undefined
}

export type NewOrg = Partial<OrgProfile> & { readonly name: string }

function checkProfile(services: Services, profile: Partial<OrgProfile>): void {
  const site = mayUseWebsite(profile.website ?? '', services.config.service.validSiteUrlSchemes)
  if (!site.allowed) throw new Invalid(site.reason, site.code)
  const addressed = profile.email ? mayUseEmail(profile.email) : undefined
  if (addressed && !addressed.allowed) throw new Invalid(addressed.reason, addressed.code)
}

/**
 * Creates an organization with an owners' team. `owner` is its only member.
 * @throws Forbidden when the owner may not create organizations; `Invalid` if an administrator creates it for the owner
 * @throws Invalid for an invalid or used name
 */
export async function createOrg(services: Services, doer: UserRow, owner: UserRow, input: NewOrg): Promise<UserRow> {
  const verdict = mayCreateOrgs(services.config, owner)
  if (!verdict.allowed) {
    throw doer.id === owner.id ? new Forbidden(verdict.reason, verdict.code) : new Invalid(verdict.reason, verdict.code)
  }
  await checkAccountName(services, input.name)
  checkProfile(services, input)
  const now = nowUnix(services.clock)
  const { config } = services
  try {
    return await transaction(services.db, async (tx) => {
      const org = await insertUser(tx, {
        ...blankAccount,
        kind: 'organization',
        name: input.name,
        lower_name: input.name.toLowerCase(),
        full_name: input.fullName ?? '',
        email: input.email ?? '',
        keep_email_private: false,
        email_notifications: 'disabled',
        is_active: true,
        prohibit_login: true,
        max_repo_creation: -1,
        visibility: input.visibility ?? config.service.defaultOrgVisibility,
        description: input.description ?? '',
        location: input.location ?? '',
        website: input.website ?? '',
        repo_admin_change_team_access: input.repoAdminChangeTeamAccess ?? false,
        created_unix: now,
        updated_unix: now,
      })
      const team = await insertTeam(tx, {
        org_id: org.id,
        name: 'Owners',
        lower_name: 'owners',
        description: '',
        access_mode: 4,
        includes_all_repositories: true,
        can_create_org_repo: true,
        created_unix: now,
      })
      await replaceTeamUnits(tx, team, new Map(repoUnits.map((unit) => [unit, 4])))
      await insertMember(tx, org.id, owner.id, config.service.defaultOrgMemberVisible)
      await insertTeamMember(tx, team, owner.id)
      await deleteRedirect(tx, org.lower_name)
      await publish(tx, 'user.created', { userId: org.id, doerId: doer.id })
      return org
    })
  } catch (error) {
    if (isUniqueViolation(error)) throw new Invalid(`the name ${input.name} is taken`, 'name_taken')
    throw error
  }
}

/** Throws `NotFound` unless the viewer may see the organization. */
export async function refuseUnseenOrg(ctx: Ctx, org: UserRow): Promise<void> {
  if ((await sightOf(ctx, org)) !== 'visible') throw new NotFound('the organization does not exist', 'org_not_found')
}

/** Changes an organization's profile. */
export async function editOrg(ctx: SignedInCtx, org: UserRow, profile: OrgProfile): Promise<UserRow> {
  checkProfile(ctx, profile)
  return transaction(ctx.db, async (tx) => {
    const before = await holdAccount(tx, org.id)
    const after = await updateUser(tx, org.id, {
      full_name: profile.fullName,
      description: profile.description,
      website: profile.website,
      location: profile.location,
      email: profile.email,
      visibility: profile.visibility,
      repo_admin_change_team_access: profile.repoAdminChangeTeamAccess,
      updated_unix: nowUnix(ctx.clock),
    })
    await publishAccountChange(tx, before, after, ctx.viewer.id)
    return after
  })
}

/** Deletes an organization and its teams. Throws `Invalid` while it owns anything. */
export const deleteOrg = (services: Services, org: UserRow, doerId: UserId): Promise<void> =>
  removeAccount(services, org, async (tx) => {
    if (!(await deleteOrgRow(tx, org.id))) throw new NotFound('the organization does not exist', 'org_not_found')
    await publish(tx, 'user.deleted', { userId: org.id, doerId, name: org.name })
  })

interface OrgPage {
  readonly orgs: UserRow[]
  readonly total: number
}

async function orgPage(ctx: Ctx, limits: Omit<OrgFilter, 'shownTo'>, page: Page): Promise<OrgPage> {
  const filter = { ...limits, shownTo: ctx.viewer }
  const [orgs, total] = await rowsAndTotal(page, listOrgs(ctx.db, filter, page), countOrgs(ctx.db, filter))
  return { orgs, total }
}

/**
 * Returns a page of public and limited organizations that the viewer may see. Administrators see all (contract).
 * @param text part of the name, the full name or the description
 */
export const listVisibleOrgs = (ctx: Ctx, page: Page, text = ''): Promise<OrgPage> =>
  orgPage(ctx, { text, ...(ctx.viewer?.isAdmin ? {} : { visibilities: ['public', 'limited'] }) }, page)

/** Returns a page of all organizations, for administrators. */
export const listAllOrgs = (ctx: Ctx, page: Page): Promise<OrgPage> => orgPage(ctx, {}, page)

/** Returns the organizations that would have no owner without the caller. */
export const listOrgsWithoutOtherOwner = ({ db, viewer }: SignedInCtx): Promise<UserRow[]> =>
  listSolelyOwnedOrgs(db, viewer.id)

/**
 * Returns a page of a person's organizations. The person and administrators see all of them. Other viewers see those
 * with a public membership that are public (observed) or that they belong to.
 */
export function listOrgsOf(ctx: SignedInCtx, user: UserRow, page: Page): Promise<OrgPage> {
  const { viewer } = ctx
  if (viewer.isAdmin || viewer.id === user.id) return orgPage(ctx, { memberId: user.id }, page)
  return orgPage(ctx, { memberId: user.id, publicMembership: true, visibilities: ['public'], alsoOf: viewer.id }, page)
}
