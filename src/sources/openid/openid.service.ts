import type { Services } from '../../access/context.ts'
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

/** Longest shown name of a linked identity that is kept. */
const maxShownName = 255

/** Providers that people sign in by, as pages show them. */
export const offeredProviders = async ({ db }: Services): Promise<string[]> =>
  (await listActiveSources(db, 'openid')).map(({ name }) => name)

/** @throws NotFound for one that there is not, or that is switched off */
export async function getProvider({ db }: Services, name: string): Promise<Source<'openid'>> {
  const row = await findActiveSource(db, name)
  if (row?.kind !== 'openid') throw new NotFound('nobody signs in by this', 'source_not_found')
  return sourceOf(row)
}

/** What a provider says of somebody. @throws Forbidden without the claim that the source asks for */
export function personAt({ config }: Services, source: Source<'openid'>, claims: Claims): OpenIdPerson {
  if (!hasRequiredClaim(source.settings, claims)) {
    throw new Forbidden('the place that you came from does not say that you may sign in here', 'claim_missing')
  }
  return personOfClaims(source.settings, claims, config.oauth2Client.username, config.service)
}

/**
 * The account that somebody from a provider signs in to: the one that is linked, or one that is made or linked as
 * `[oauth2_client]` says; undefined when they have to say which it is.
 * @throws Forbidden where there is an account of the name or address already and nobody may link it
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
  // One that an administrator gave to the source, with the name there.
  const given = await findAccountOfSource(db, source.id, person.loginName)
  if (given) return linkAccount(services, source, given, person)
  const { enableAutoRegistration, accountLinking } = config.oauth2Client
  if (!enableAutoRegistration) return undefined
  const same = await sameAccount(services, person)
  if (same === undefined) return mayMakeAt(services, person) ? makeAt(services, source, person, person) : undefined
  if (accountLinking === 'disabled') {
    throw new Forbidden('there is an account of this name or address already', 'account_exists')
  }
  return accountLinking === 'auto' && same.login_source_id === 0
    ? linkAccount(services, source, same, person)
    : undefined
}

/** The account that has the person's name, or the address that the provider says is theirs. */
async function sameAccount({ db }: Services, person: OpenIdPerson): Promise<UserRow | undefined> {
  const named = person.name === '' ? undefined : await findUserByName(db, person.name)
  if (named?.kind === 'individual') return named
  return person.isEmailProven ? findPersonByPrimary(db, person.email) : undefined
}

/** Whether an account can be made of what the provider says alone. */
const mayMakeAt = (services: Services, person: OpenIdPerson): boolean =>
  person.name !== '' && person.email !== '' && mayRegisterAt(services, person)

/** Whether people of providers get accounts here: addresses that have to be confirmed are, when the provider says so. */
export function mayRegisterAt({ config }: Pick<Services, 'config'>, person: OpenIdPerson): boolean {
  const said = config.oauth2Client.registerEmailConfirm
  const confirms = said === '' ? config.service.registerEmailConfirm : /^(?:true|yes|on|1)$/i.test(said)
  return !config.service.disableRegistration && (!confirms || person.isEmailProven)
}

/**
 * Makes the account of somebody from a provider and links it.
 * @param chosen the name and address that they chose; a proven address stays what the provider says
 * @throws Forbidden, Invalid (`name_…`, `email_…`)
 */
export async function makeAt(
  services: Services,
  source: Source<'openid'>,
  person: OpenIdPerson,
  chosen: { readonly name: string; readonly email: string },
): Promise<UserRow> {
  if (!mayRegisterAt(services, person)) throw new Forbidden('nobody can sign up here this way', 'registration_closed')
  const email = person.isEmailProven ? person.email : chosen.email
  checkOwnEmail(services, email)
  const user = await makeAccount(services, source, { ...person, name: chosen.name, email })
  return linkAccount(services, source, user, person)
}

/** Links an account to who somebody is at a provider. @throws Conflict when another account is linked already */
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
    if (isUniqueViolation(error)) throw new Conflict('this identity is linked to an account already', 'already_linked')
    throw error
  }
  return follow(services, source, user, person)
}

/** Brings an account up to what the provider says of rights, teams and, where the settings say so, the picture. */
async function follow(
  services: Services,
  source: Source<'openid'>,
  user: UserRow,
  person: OpenIdPerson,
): Promise<UserRow> {
  // Who may not sign in is changed by nobody's coming.
  if (user.prohibit_login || !user.is_active) return user
  const followed = await followPerson(services, user, person, { profile: false })
  await followGroups(services, followed, source.settings, person.groups)
  if (services.config.oauth2Client.updateAvatar && person.picture !== '') {
    const picture = await pictureAt(services, source, person.picture)
    try {
      if (picture) await setAvatar(services, { kind: 'individual', id: user.id }, picture, user.id)
    } catch (error) {
      // A picture that is none, or too large, keeps nobody out.
      if (!(error instanceof Refusal)) throw error
      services.log('info', 'the picture of somebody was not taken', { name: user.name, reason: error.message })
    }
  }
  return followed
}

/** Where else an account signs in. */
export const linksOf = ({ db }: Services, user: UserRow) => listLinks(db, user.id)

/**
 * Takes a link away. @throws NotFound, Invalid for the last way in
 */
export async function unlink(services: Services, user: UserRow, id: ExternalAccountId): Promise<void> {
  const hasOtherWay = user.password_hash !== null || (await passkeysOf(services, user.id)).length > 0
  await transaction(services.db, async (tx) => {
    const links = await listLinks(tx, user.id)
    const link = links.find((each) => each.id === id)
    if (!link) throw new NotFound('there is no such link', 'link_not_found')
    if (!hasOtherWay && links.length === 1) {
      throw new Invalid('this is the only way into the account', 'last_way_in')
    }
    await deleteLink(tx, id)
    const about = { kind: 'account', id: user.id } as const
    await recordAct(tx, { action: 'account.unlinked', doerId: user.id, about, details: { source: link.source } })
  })
}

/** Somebody who came from a provider and has to say which account is theirs, as their browser keeps them. */
interface Waiting {
  readonly sourceId: number
  readonly claims: Claims
  readonly redirectTo: string
  readonly remember: boolean
  readonly untilUnix: number
}

const waitingPurpose = 'source-identity'
export const waitingSeconds = 900

/** Most of what a provider says that a cookie keeps, in characters. */
const maxKeptClaims = 2000

/** What a browser keeps of somebody whose account is not known yet. */
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
  // A cookie has its limits: groups that nothing asks for are left out.
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
    throw new Forbidden('the place that you came from says too much of you', 'claims_too_large')
  }
  const { redirectTo, remember } = how
  const untilUnix = nowUnix(clock) + waitingSeconds
  return secrets.seal(
    waitingPurpose,
    JSON.stringify({ sourceId: source.id, claims: kept, redirectTo: redirectTo.slice(0, 500), remember, untilUnix }),
  )
}

/** Who waits in a browser, and by which provider; undefined when nobody does. */
export async function waitingPerson(services: Services, kept: string) {
  let waiting: Waiting
  try {
    waiting = JSON.parse(services.secrets.open(waitingPurpose, kept)) as Waiting
  } catch {
    // Not sealed here: nobody waits.
    return undefined
  }
  if (waiting.untilUnix <= nowUnix(services.clock)) return undefined
  const row = await findSource(services.db, waiting.sourceId as SourceId)
  if (row?.kind !== 'openid' || !row.is_active) return undefined
  const source = sourceOf<'openid'>(row)
  return { source, waiting, person: personAt(services, source, waiting.claims) }
}
