import type { Services } from '../../access/context.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import type { JobRun } from '../../jobs/job.ts'
import { Refusal } from '../../lib/errors.ts'
import { followGroups } from '../groups.service.ts'
import { followPerson, makeAccount, switchOff, type Person } from '../person.service.ts'
import { listAccountsOfSource } from '../person.store.ts'
import { secretOf, type Source } from '../source.service.ts'
import { DirectoryError, withDirectory, type Directory, type Entry } from './directory.ts'
import { bindReader, groupsOf, personOf, wantedAttributes } from './directory.service.ts'
import { comparableDn, filled } from './ldap-text.rules.ts'

/** Largest number of synchronized people per directory. */
const maxPeople = 100_000
const batchSize = 500

/** Result of a synchronization. */
interface Synced {
  made: number
  followed: number
  switchedOff: number
}

/** Returns the DNs that match a filter; undefined without a filter. */
async function namesOf(
  directory: Directory,
  { user_base: base, user_filter: users, page_size: pageSize }: Source<'ldap'>['settings'],
  filter: string,
): Promise<ReadonlySet<string> | undefined> {
  if (filter === '') return undefined
  const names = new Set<string>()
  const both = `(&${filled(users, '*')}${filter})`
  for await (const page of directory.pages({ base, filter: both, attributes: [] }, pageSize)) {
    for (const { dn } of page) names.add(comparableDn(dn))
    if (names.size > maxPeople) throw new DirectoryError(`the filter matches more than ${maxPeople} entries`)
  }
  return names
}

/**
 * Synchronizes the accounts of a directory: creates new ones, updates others, and deactivates those of missing people.
 * An empty result deactivates nobody unless the source allows it.
 * @param updates whether existing accounts are updated
 * @throws DirectoryError before any deactivation
 */
export async function syncDirectory(
  services: Services,
  source: Source<'ldap'>,
  { updates, run }: { readonly updates: boolean; readonly run: JobRun },
): Promise<Synced> {
  const { settings } = source
  const synced: Synced = { made: 0, followed: 0, switchedOff: 0 }
  const known = await accountsOf(services, source)
  const seen = new Set<string>()
  await withDirectory(settings, async (directory) => {
    await bindReader(directory, settings, secretOf(services, source))
    const admins = await namesOf(directory, settings, settings.admin_filter)
    const restricted = await namesOf(directory, settings, settings.restricted_filter)
    const wanted = {
      base: settings.user_base,
      filter: filled(settings.user_filter, '*'),
      attributes: wantedAttributes(settings),
    }
    for await (const page of directory.pages(wanted, settings.page_size)) {
      for (const entry of page) {
        run.signal.throwIfAborted()
        const person = rightsOf(personOf(settings, entry, ''), entry, admins, restricted)
        if (person.loginName === '' || seen.has(person.loginName)) continue
        if (seen.size >= maxPeople) throw new DirectoryError(`the filter matches more than ${maxPeople} people`)
        seen.add(person.loginName)
        const account = known.get(person.loginName)
        if (account && !updates) continue
        const groups = await groupsOf(directory, settings, entry)
        await followOne(services, source, { person, account, groups }, synced)
        run.progress({ done: seen.size })
      }
    }
  })
  if (seen.size === 0 && !settings.allow_deactivate_all) {
    if (known.size > 0) {
      services.log('warn', 'a directory lists nobody: no account is deactivated', { source: source.name })
    }
    return synced
  }
  for (const account of known.values()) {
    run.signal.throwIfAborted()
    if (seen.has(account.login_name) || !account.is_active) continue
    await switchOff(services, account)
    synced.switchedOff++
  }
  return synced
}

function rightsOf(
  person: Person,
  { dn }: Entry,
  admins: ReadonlySet<string> | undefined,
  restricted: ReadonlySet<string> | undefined,
): Person {
  const isAdmin = admins?.has(comparableDn(dn))
  return { ...person, isAdmin, isRestricted: isAdmin ? false : restricted?.has(comparableDn(dn)) }
}

async function accountsOf(services: Services, source: Source): Promise<Map<string, UserRow>> {
  const known = new Map<string, UserRow>()
  for (let afterId = 0; ;) {
    const batch = await listAccountsOfSource(services.db, source.id, afterId, batchSize)
    for (const account of batch) known.set(account.login_name, account)
    afterId = batch.at(-1)?.id ?? afterId
    if (batch.length < batchSize) return known
  }
}

async function followOne(
  services: Services,
  source: Source<'ldap'>,
  { person, account, groups }: { person: Person; account: UserRow | undefined; groups: readonly string[] },
  synced: Synced,
): Promise<void> {
  try {
    const user = account
      ? await followPerson(services, account, person, { profile: true, activates: true })
      : await makeAccount(services, source, person)
    if (account) synced.followed++
    else synced.made++
    await followGroups(services, user, source.settings, groups, comparableDn)
  } catch (error) {
    // A person who cannot have an account does not stop the others.
    if (!(error instanceof Refusal)) throw error
    const { name } = person
    services.log('warn', 'a person of a directory cannot have an account', {
      source: source.name,
      name,
      reason: error.message,
    })
  }
}
