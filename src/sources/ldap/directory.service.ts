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

/** How long a password that a directory took needs not be shown to it again, in milliseconds. */
const rememberMs = 60_000
const maxRemembered = 10_000

/** Questions to directories at once, and how many wait for their turn. */
const maxAsking = 16
const maxWaiting = 200

/** Most groups of one person that are looked at. */
const maxGroups = 1000

/** What is remembered of directories, and how many are asked at once. */
export const directories = ownService('the directories', {
  open: () => ({
    right: cacheOf<string, true>(maxRemembered, { ttl: rememberMs }),
    limit: createConcurrencyLimit({
      running: maxAsking,
      waiting: maxWaiting,
      refusal: () => new TooManyRequests('too many people sign in at once', 'directory_busy'),
    }),
  }),
})

/** Somebody whom a directory knows. */
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

/** What an entry says of a person, but for what other questions tell. */
export function personOf(settings: LdapSettings, entry: Entry, typed: string): Person {
  const name = settings.username_attribute === '' ? typed : first(entry, settings.username_attribute)
  const names = [first(entry, settings.first_name_attribute), first(entry, settings.surname_attribute)]
  return {
    loginName: name,
    name,
    // Some entries have no address, and every account has one.
    email: first(entry, settings.email_attribute) || `${name.toLowerCase()}@localhost.local`,
    fullName: names.filter((each) => each !== '').join(' '),
    isAdmin: undefined,
    isRestricted: undefined,
  }
}

/** Asks what else is to be known of somebody: whether they fit the filters, and their groups. */
async function describe(directory: Directory, settings: LdapSettings, entry: Entry, typed: string): Promise<Found> {
  const fits = async (filter: string): Promise<boolean | undefined> => {
    if (filter === '') return undefined
    const one = { base: entry.dn, filter, attributes: [], isOne: true }
    return (await directory.search(one, 1)).length > 0
  }
  // One after the other: a directory answers a connection in turn anyway.
  const isAdmin = await fits(settings.admin_filter)
  const isRestricted = isAdmin ? false : await fits(settings.restricted_filter)
  const groups = await groupsOf(directory, settings, entry)
  return { entry, groups, person: { ...personOf(settings, entry, typed), isAdmin, isRestricted } }
}

/** Names of the groups that an entry is in, where a map asks for them. */
export async function groupsOf(directory: Directory, settings: LdapSettings, entry: Entry): Promise<string[]> {
  if (settings.group_base === '' || Object.keys(settings.team_map).length === 0) return []
  const { user_attribute_in_group: by, group_member_attribute: member } = settings
  const value = by === 'dn' ? entry.dn : first(entry, by)
  if (value === '') return []
  const filter = `(&${settings.group_filter || '(objectClass=*)'}(${member}=${filterValue(value)}))`
  const groups = await directory.search({ base: settings.group_base, filter, attributes: [] }, maxGroups)
  return groups.map(({ dn }) => dn)
}

/** Signs the reader of a directory in to it, where it has one. */
export async function bindReader(directory: Directory, settings: LdapSettings, secret: string): Promise<void> {
  if (settings.bind_dn !== '' && !(await directory.bind(settings.bind_dn, secret))) {
    throw new DirectoryError('the directory does not take the name and password of its reader (bind_dn)')
  }
}

/** The one entry that fits what somebody typed; undefined without one. Several are none: nobody knows which is meant. */
async function findEntry(directory: Directory, settings: LdapSettings, typed: string): Promise<Entry | undefined> {
  const filter = filled(settings.user_filter, filterValue(typed))
  const found = await directory.search({ base: settings.user_base, filter, attributes: wantedAttributes(settings) }, 2)
  return found.length === 1 ? found[0] : undefined
}

/** Whom a directory knows by what somebody typed, when the password fits. Throws DirectoryError. */
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
    // The last question, since the connection is the person's from now on.
    return (await directory.bind(entry.dn, password)) ? found : undefined
  })
}

/**
 * The account of somebody by a password that a directory is asked for; it is made when they come for the first time.
 * @param known the account of the name that was typed, if there is one
 * @returns `elsewhere` when no directory has a say in it: the password is one of here
 * @throws Unavailable when a directory that had to be asked gave no answer
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
      // The next one may know them; when none does it is not known whether this one would have.
      if (!(error instanceof Unavailable)) throw error
      silent = error
    }
  }
  if (silent) throw silent
  return 'refused'
}

/** The account of somebody whom one directory knows by this password. */
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
  // Clients that know no tokens send the password with every request.
  if (known && right.has(key)) return known
  try {
    const found = await limit.run(() => askDirectory(services, source, typed, password))
    const account = found && (await takeIn(services, source, found, known))
    if (account) right.set(key, true)
    return account
  } catch (error) {
    if (!(error instanceof DirectoryError)) throw error
    services.log('warn', 'a directory gave no answer', { source: source.name, reason: error.message })
    throw new Unavailable('the place where this account signs in gives no answer', 'source_unavailable')
  }
}

/** Makes the account of somebody, or brings it up to what the directory says. */
async function takeIn(
  services: Services,
  source: Source<'ldap'>,
  { person, groups }: Found,
  known: UserRow | undefined,
): Promise<UserRow | undefined> {
  const account = known ?? (await findAccountOfSource(services.db, source.id, person.loginName))
  // Who typed the name of one account is not signed in to another.
  if (known && known.login_name !== person.loginName) return undefined
  try {
    const user = account
      ? await followPerson(services, account, person, { profile: true })
      : await makeAccount(services, source, person)
    await followGroups(services, user, source.settings, groups, comparableDn)
    return user
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    // The name is another account's, or none that an account may have: the directory has to say something else.
    services.log('warn', 'somebody of a directory cannot have an account', {
      source: source.name,
      name: person.name,
      reason: error.message,
    })
    return undefined
  }
}

/** Asks a directory what a sign-in would ask, but for the password. */
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
        if (!found) throw new DirectoryError('no entry fits the filter, or several do')
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
