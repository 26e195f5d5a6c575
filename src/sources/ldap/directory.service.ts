import { createHash } from 'node:crypto'
import type { Services } from '../../access/context.ts'
import { ownService } from '../../access/own-service.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import { cacheOf } from '../../lib/cache.ts'
import { createConcurrencyLimit } from '../../lib/concurrency-limit.ts'
import { Refusal, TooManyRequests, Unavailable } from '../../lib/errors.ts'
import type { SourceId } from '../../lib/ids.ts'
import { followGroups } from '../groups.service.ts'
import { followPerson, makeAccount, type Person } from '../person.service.ts'
import { findAccountOfSource } from '../person.store.ts'
import type { LdapSettings, TestStep } from '../source.rules.ts'
import { secretOf, sourceOf, type Source } from '../source.service.ts'
import { findSource, listActiveSources } from '../source.store.ts'
import { DirectoryError, withDirectory, type Directory, type Entry } from './directory.ts'
import { comparableDn, dnValue, filled, filterValue } from './ldap-text.rules.ts'

/** How long a verified password of a directory is remembered, in milliseconds. */
const rememberMs = 60_000
const maxRemembered = 10_000

/** Largest numbers of concurrent and waiting requests to directories. */
const maxConcurrent = 16
const maxWaiting = 200

/** Largest number of groups of one person. */
const maxGroups = 1000

/** Remembered passwords and the limit of concurrent requests. */
export const directories = ownService('the directories', {
  open: () => ({
    right: cacheOf<string, true>(maxRemembered, { ttl: rememberMs }),
    limit: createConcurrencyLimit({
      running: maxConcurrent,
      waiting: maxWaiting,
      refusal: () => new TooManyRequests('too many people sign in at once', 'directory_busy'),
    }),
  }),
})

/** A person found in a directory. */
export interface Found {
  readonly entry: Entry
  readonly person: Person
  readonly groups: readonly string[]
}

const first = ({ values }: Entry, name: string): string => values[name.toLowerCase()]?.[0]?.trim() ?? ''

export const wantedAttributes = (settings: LdapSettings): string[] =>
  [
    settings.username_attribute,
    settings.first_name_attribute,
    settings.surname_attribute,
    settings.email_attribute,
    ...(settings.user_attribute_in_group === 'dn' ? [] : [settings.user_attribute_in_group]),
  ].filter((name) => name !== '')

/** Returns the person of an entry, without results of further searches. */
export function personOf(settings: LdapSettings, entry: Entry, typed: string): Person {
  const name = settings.username_attribute === '' ? typed : first(entry, settings.username_attribute)
  const names = [first(entry, settings.first_name_attribute), first(entry, settings.surname_attribute)]
  return {
    loginName: name,
    name,
    // Every account needs an address, and some entries have none.
    email: first(entry, settings.email_attribute) || `${name.toLowerCase()}@localhost.local`,
    fullName: names.filter((each) => each !== '').join(' '),
    isAdmin: undefined,
    isRestricted: undefined,
  }
}

/** Searches for the remaining facts about a person: rights by filters, and groups. */
async function describe(directory: Directory, settings: LdapSettings, entry: Entry, typed: string): Promise<Found> {
  const fits = async (filter: string): Promise<boolean | undefined> => {
    if (filter === '') return undefined
    const one = { base: entry.dn, filter, attributes: [], isOne: true }
    return (await directory.search(one, 1)).length > 0
  }
  // Sequential, because a directory answers the requests of one connection in order.
  const isAdmin = await fits(settings.admin_filter)
  const isRestricted = isAdmin ? false : await fits(settings.restricted_filter)
  const groups = await groupsOf(directory, settings, entry)
  return { entry, groups, person: { ...personOf(settings, entry, typed), isAdmin, isRestricted } }
}

/** Returns the DNs of a person's groups when a team map needs them. */
export async function groupsOf(directory: Directory, settings: LdapSettings, entry: Entry): Promise<string[]> {
  if (settings.group_base === '' || Object.keys(settings.team_map).length === 0) return []
  const { user_attribute_in_group: by, group_member_attribute: member } = settings
  const value = by === 'dn' ? entry.dn : first(entry, by)
  if (value === '') return []
  const filter = `(&${settings.group_filter || '(objectClass=*)'}(${member}=${filterValue(value)}))`
  const groups = await directory.search({ base: settings.group_base, filter, attributes: [] }, maxGroups)
  return groups.map(({ dn }) => dn)
}

/** Binds as the configured reader, if any. */
export async function bindReader(directory: Directory, settings: LdapSettings, secret: string): Promise<void> {
  if (settings.bind_dn !== '' && !(await directory.bind(settings.bind_dn, secret))) {
    throw new DirectoryError('the directory refuses bind_dn and its password')
  }
}

/** Returns the only entry that matches the typed name; undefined for none or several. */
async function findEntry(directory: Directory, settings: LdapSettings, typed: string): Promise<Entry | undefined> {
  const filter = filled(settings.user_filter, filterValue(typed))
  const found = await directory.search({ base: settings.user_base, filter, attributes: wantedAttributes(settings) }, 2)
  return found.length === 1 ? found[0] : undefined
}

/** Returns the person of a typed name when the password is right. Throws DirectoryError. */
async function askDirectory(
  services: Services,
  source: Source<'ldap'>,
  typed: string,
  password: string,
): Promise<Found | undefined> {
  const { settings } = source
  return withDirectory(settings, async (directory) => {
    if (settings.user_dn !== '') {
      const dn = filled(settings.user_dn, dnValue(typed))
      if (!(await directory.bind(dn, password))) return undefined
      const entry =
        settings.user_base === ''
          ? (
              await directory.search(
                {
                  base: dn,
                  filter: filled(settings.user_filter, filterValue(typed)),
                  attributes: wantedAttributes(settings),
                  isOne: true,
                },
                1,
              )
            )[0]
          : await findEntry(directory, settings, typed)
      return entry && describe(directory, settings, entry, typed)
    }
    await bindReader(directory, settings, secretOf(services, source))
    const entry = await findEntry(directory, settings, typed)
    if (!entry) return undefined
    const found = await describe(directory, settings, entry, typed)
    // Last, because the connection then has the rights of the person.
    return (await directory.bind(entry.dn, password)) ? found : undefined
  })
}

/**
 * Returns the account for a password that a directory verifies; creates it at the first sign-in.
 * @param known the account of the typed name, if any
 * @returns `elsewhere` when the password is a local one
 * @throws Unavailable when a required directory does not answer
 */
export async function accountOfPassword(
  services: Services,
  known: UserRow | undefined,
  typed: string,
  password: string,
): Promise<UserRow | 'refused' | 'elsewhere'> {
  if (known) {
    if (known.login_source_id === 0) return 'elsewhere'
    const row = await findSource(services.db, known.login_source_id as SourceId)
    if (row?.kind === 'openid') return 'elsewhere'
    if (!row?.is_active || password === '') return 'refused'
    const login = known.login_name || known.name
    return (await accountIn(services, sourceOf<'ldap'>(row), login, password, known)) ?? 'refused'
  }
  const rows = await listActiveSources(services.db, 'ldap')
  if (rows.length === 0) return 'elsewhere'
  if (password === '' || typed === '') return 'refused'
  let silent: Unavailable | undefined
  for (const row of rows) {
    try {
      const account = await accountIn(services, sourceOf<'ldap'>(row), typed, password)
      if (account) return account
    } catch (error) {
      // Another directory may know the person; otherwise the failure is reported, because this one might have.
      if (!(error instanceof Unavailable)) throw error
      silent = error
    }
  }
  if (silent) throw silent
  return 'refused'
}

/** Returns the account of a person whom one directory authenticates. */
async function accountIn(
  services: Services,
  source: Source<'ldap'>,
  typed: string,
  password: string,
  known?: UserRow,
): Promise<UserRow | undefined> {
  const { right, limit } = directories.of(services)
  const key = createHash('sha256')
    .update(JSON.stringify([source.id, source.row.updated_unix, source.row.settings, typed, password]))
    .digest('base64')
  // Clients without tokens send the password with every request.
  if (known && right.has(key)) return known
  try {
    const found = await limit.run(() => askDirectory(services, source, typed, password))
    const account = found && (await takeIn(services, source, found, known))
    if (account) right.set(key, true)
    return account
  } catch (error) {
    if (!(error instanceof DirectoryError)) throw error
    services.log('warn', 'a directory does not answer', { source: source.name, reason: error.message })
    throw new Unavailable('the sign-in source of this account does not answer; try again later', 'source_unavailable')
  }
}

/** Creates or updates the account of a person in a directory. */
async function takeIn(
  services: Services,
  source: Source<'ldap'>,
  { person, groups }: Found,
  known: UserRow | undefined,
): Promise<UserRow | undefined> {
  const account = known ?? (await findAccountOfSource(services.db, source.id, person.loginName))
  // A typed name must not sign in to another account.
  if (known && known.login_name !== person.loginName) return undefined
  try {
    const user = account
      ? await followPerson(services, account, person, { profile: true })
      : await makeAccount(services, source, person)
    await followGroups(services, user, source.settings, groups, comparableDn)
    return user
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    // The name is taken or invalid for accounts; the directory must provide another one.
    services.log('warn', 'a person of a directory cannot have an account', {
      source: source.name,
      name: person.name,
      reason: error.message,
    })
    return undefined
  }
}

/** Tests a source: performs the requests of a sign-in without a password. */
export async function testDirectory(services: Services, source: Source<'ldap'>, login: string): Promise<TestStep[]> {
  const { settings } = source
  const steps: TestStep[] = []
  const step = async <Result>(what: string, ask: () => Promise<readonly [string, Result]>): Promise<Result> => {
    try {
      const [found, result] = await ask()
      steps.push({ ok: true, what, found })
      return result
    } catch (error) {
      if (!(error instanceof DirectoryError)) throw error
      steps.push({ ok: false, what, found: error.message })
      throw error
    }
  }
  try {
    await withDirectory(settings, async (directory) => {
      await step('connect and sign in as the reader', async () => {
        if (settings.bind_dn !== '') await bindReader(directory, settings, secretOf(services, source))
        else await directory.search({ base: '', filter: '(objectClass=*)', attributes: [], isOne: true }, 1)
        return [`${settings.host}, ${settings.security}`, undefined]
      })
      if (login === '' || settings.user_dn !== '') return
      const entry = await step('find the person', async () => {
        const found = await findEntry(directory, settings, login)
        if (!found) throw new DirectoryError('the filter does not match exactly one entry')
        return [found.dn, found]
      })
      const { person, groups } = await step('read the entry', async () => {
        const found = await describe(directory, settings, entry, login)
        const { name, email, fullName } = found.person
        return [`${name}, ${email}, ${fullName}`, found]
      })
      const flags = [
        ...(person.isAdmin ? ['administrator'] : []),
        ...(person.isRestricted ? ['restricted'] : []),
        ...groups,
      ]
      steps.push({ ok: true, what: 'rights and groups', found: flags.join('; ') || 'none' })
    })
  } catch (error) {
    if (!(error instanceof DirectoryError)) throw error
    if (steps.every(({ ok }) => ok)) steps.push({ ok: false, what: 'connect', found: error.message })
  }
  return steps
}
