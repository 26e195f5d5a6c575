import type { Services } from '../../access/context.ts'
import { serverWork } from '../../access/server-work.ts'
import { recordAct } from '../../audit/audit.ts'
import { findPersonByPrimary } from '../../auth/account.store.ts'
import { passkeysOf } from '../../auth/passkey.service.ts'
import { isUniqueViolation, transaction } from '../../db/database.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import { Conflict, Forbidden, Invalid, NotFound, Refusal } from '../../lib/errors.ts'
import type { ExternalAccountId, SourceId } from '../../lib/ids.ts'
import { nowUnix } from '../../lib/time.ts'
import { setAvatar } from '../../users/avatars/avatar.service.ts'
import { checkOwnEmail } from '../../users/email.service.ts'
import { findUserById, findUserByName } from '../../users/user.store.ts'
import { followGroups } from '../groups.service.ts'
import { followPerson, makeAccount } from '../person.service.ts'
import { findAccountOfSource } from '../person.store.ts'
import { sourceOf, type Source } from '../source.service.ts'
import { findActiveSource, findSource, listActiveSources } from '../source.store.ts'
import { hasRequiredClaim, personOfClaims, type OpenIdPerson } from './claims.rules.ts'
import { deleteLink, findLink, insertLink, listLinks, updateLinkUsed } from './link.store.ts'
import { pictureAt, type Claims } from './provider.service.ts'

/** Longest stored display name of a linked identity, in characters. */
const maxShownName = 255

/** Returns the names of active providers. */
export const offeredProviders = async ({ db }: Services): Promise<string[]> =>
  (await listActiveSources(db, 'openid')).map(({ name }) => name)

/** @throws NotFound for an unknown or inactive provider */
export async function getProvider({ db }: Services, name: string): Promise<Source<'openid'>> {
  const row = await findActiveSource(db, name)
  if (row?.kind !== 'openid') throw new NotFound('the sign-in source does not exist', 'source_not_found')
  return sourceOf(row)
}

/** Returns the person of verified claims. @throws Forbidden without the required claim */
export function personAt({ config }: Services, source: Source<'openid'>, claims: Claims): OpenIdPerson {
  if (!hasRequiredClaim(source.settings, claims)) {
    throw new Forbidden('your provider does not allow you to sign in here', 'claim_missing')
  }
  return personOfClaims(source.settings, claims, config.oauth2Client.username, config.service)
}

/**
 * Returns the account of a provider's person: the linked one, or one that `[oauth2_client]` allows to create or link;
 * undefined when the person must choose.
 * @throws Forbidden when the name or address is taken and linking is disabled
 */
export async function accountAt(
  services: Services,
  source: Source<'openid'>,
  person: OpenIdPerson,
): Promise<UserRow | undefined> {
  const { db, config } = services
  const link = await findLink(db, source.id, person.loginName)
  const linked = link && (await findUserById(db, link.user_id))
  if (link && linked) {
    const shownName = person.shownName.slice(0, maxShownName)
    await transaction(db, (tx) => updateLinkUsed(tx, link.id, shownName, nowUnix(services.clock)))
    return follow(services, source, linked, person)
  }
  // An administrator assigned the account to the source.
  const given = await findAccountOfSource(db, source.id, person.loginName)
  if (given) return linkAccount(services, source, given, person)
  const { enableAutoRegistration, accountLinking } = config.oauth2Client
  if (!enableAutoRegistration) return undefined
  const same = await sameAccount(services, person)
  if (same === undefined) return mayMakeAt(services, person) ? makeAt(services, source, person, person) : undefined
  if (accountLinking === 'disabled') {
    throw new Forbidden('an account of this name or address exists', 'account_exists')
  }
  return accountLinking === 'auto' && same.login_source_id === 0
    ? linkAccount(services, source, same, person)
    : undefined
}

/** Returns the account with the person's name or confirmed address. */
async function sameAccount({ db }: Services, person: OpenIdPerson): Promise<UserRow | undefined> {
  const named = person.name === '' ? undefined : await findUserByName(db, person.name)
  if (named?.kind === 'individual') return named
  return person.isEmailProven ? findPersonByPrimary(db, person.email) : undefined
}

/** Returns whether the claims suffice to create an account. */
const mayMakeAt = (services: Services, person: OpenIdPerson): boolean =>
  person.name !== '' && person.email !== '' && mayRegisterAt(services, person)

/**
 * Returns whether a provider's person may get an account. Where addresses need confirmation, the provider's
 * confirmation counts.
 */
export function mayRegisterAt({ config }: Pick<Services, 'config'>, person: OpenIdPerson): boolean {
  const setting = config.oauth2Client.registerEmailConfirm
  const confirms = setting === '' ? config.service.registerEmailConfirm : /^(?:true|yes|on|1)$/i.test(setting)
  return !config.service.disableRegistration && (!confirms || person.isEmailProven)
}

/**
 * Creates and links an account for a provider's person.
 * @param chosen name and address that the person chose; a confirmed address cannot be changed
 * @throws Forbidden, Invalid (`name_…`, `email_…`)
 */
export async function makeAt(
  services: Services,
  source: Source<'openid'>,
  person: OpenIdPerson,
  chosen: { readonly name: string; readonly email: string },
): Promise<UserRow> {
  if (!mayRegisterAt(services, person)) {
    throw new Forbidden('registration with this provider is closed', 'registration_closed')
  }
  const email = person.isEmailProven ? person.email : chosen.email
  checkOwnEmail(services, email)
  const user = await makeAccount(services, source, { ...person, name: chosen.name, email })
  return linkAccount(services, source, user, person)
}

/** Links an account to a provider's person. @throws Conflict when the person is linked to another account */
export async function linkAccount(
  services: Services,
  source: Source<'openid'>,
  user: UserRow,
  person: OpenIdPerson,
): Promise<UserRow> {
  const now = nowUnix(services.clock)
  try {
    await transaction(services.db, async (tx) => {
      await insertLink(tx, {
        source_id: source.id,
        external_id: person.loginName,
        user_id: user.id,
        name: person.shownName.slice(0, maxShownName),
        created_unix: now,
        used_unix: now,
      })
      const about = { kind: 'account', id: user.id } as const
      await recordAct(tx, { action: 'account.linked', doerId: user.id, about, details: { source: source.name } })
    })
  } catch (error) {
    if (isUniqueViolation(error)) throw new Conflict('this identity is already linked to an account', 'already_linked')
    throw error
  }
  return follow(services, source, user, person)
}

/** Updates rights, teams and, when configured, the picture of an account from its claims. */
async function follow(
  services: Services,
  source: Source<'openid'>,
  user: UserRow,
  person: OpenIdPerson,
): Promise<UserRow> {
  // An account that may not sign in stays unchanged.
  if (user.prohibit_login || !user.is_active) return user
  const followed = await followPerson(services, user, person, { profile: false })
  await followGroups(services, followed, source.settings, person.groups)
  if (services.config.oauth2Client.updateAvatar && person.picture !== '') {
    const picture = await pictureAt(services, source, person.picture)
    try {
      if (picture) await setAvatar(serverWork(services), { kind: 'individual', id: user.id }, picture, user.id)
    } catch (error) {
      // An unusable picture must not prevent the sign-in.
      if (!(error instanceof Refusal)) throw error
      services.log('info', 'the picture of a person was refused', { name: user.name, reason: error.message })
    }
  }
  return followed
}

/** Returns the linked identities of an account. */
export const linksOf = ({ db }: Services, user: UserRow) => listLinks(db, user.id)

/** Removes a link. @throws NotFound, Invalid for the only way to sign in */
export async function unlink(services: Services, user: UserRow, id: ExternalAccountId): Promise<void> {
  const hasOtherWay = user.password_hash !== null || (await passkeysOf(services, user.id)).length > 0
  await transaction(services.db, async (tx) => {
    const links = await listLinks(tx, user.id)
    const link = links.find((each) => each.id === id)
    if (!link) throw new NotFound('the link does not exist', 'link_not_found')
    if (!hasOtherWay && links.length === 1) {
      throw new Invalid('this is the only way to sign in to the account', 'last_way_in')
    }
    await deleteLink(tx, id)
    const about = { kind: 'account', id: user.id } as const
    await recordAct(tx, { action: 'account.unlinked', doerId: user.id, about, details: { source: link.source } })
  })
}

/** A person from a provider who must choose an account; stored in the browser. */
interface Waiting {
  readonly sourceId: number
  readonly claims: Claims
  readonly redirectTo: string
  readonly remember: boolean
  readonly untilUnix: number
}

const waitingPurpose = 'source-identity'
export const waitingSeconds = 900

/** Largest size of the claims in the cookie, in characters. */
const maxKeptClaims = 2000

/** Returns the sealed cookie of a person without an account. */
export function keepPerson(
  { secrets, clock }: Services,
  source: Source<'openid'>,
  claims: Claims,
  how: { readonly redirectTo: string; readonly remember: boolean },
): string {
  const { settings } = source
  const wanted = new Set([
    ...['sub', 'email', 'email_verified', 'preferred_username', 'nickname', 'name', 'picture'],
    ...[settings.group_claim_name, settings.required_claim_name].filter((name) => name !== ''),
  ])
  const named = new Set([settings.admin_group, settings.restricted_group, ...Object.keys(settings.team_map)])
  // Groups without an effect are dropped to keep the cookie small.
  const kept: Record<string, unknown> = Object.fromEntries(
    Object.entries(claims)
      .filter(([name]) => wanted.has(name))
      .map(([name, value]) => [name, Array.isArray(value) ? value.filter((each) => isNeeded(name, each)) : value]),
  )
  function isNeeded(name: string, each: unknown): boolean {
    if (name === settings.required_claim_name && ['', each].includes(settings.required_claim_value)) return true
    return name === settings.group_claim_name && named.has(String(each))
  }
  if (JSON.stringify(kept).length > maxKeptClaims) delete kept['picture']
  if (JSON.stringify(kept).length > maxKeptClaims) {
    throw new Forbidden('your provider sends too many claims', 'claims_too_large')
  }
  const { redirectTo, remember } = how
  const untilUnix = nowUnix(clock) + waitingSeconds
  return secrets.seal(
    waitingPurpose,
    JSON.stringify({ sourceId: source.id, claims: kept, redirectTo: redirectTo.slice(0, 500), remember, untilUnix }),
  )
}

/** Returns the person of the cookie and the provider; undefined for an invalid cookie. */
export async function waitingPerson(services: Services, kept: string) {
  let waiting: Waiting
  try {
    waiting = JSON.parse(services.secrets.open(waitingPurpose, kept)) as Waiting
  } catch {
    // A cookie that was not sealed here.
    return undefined
  }
  if (waiting.untilUnix <= nowUnix(services.clock)) return undefined
  const row = await findSource(services.db, waiting.sourceId as SourceId)
  if (row?.kind !== 'openid' || !row.is_active) return undefined
  const source = sourceOf<'openid'>(row)
  return { source, waiting, person: personAt(services, source, waiting.claims) }
}
