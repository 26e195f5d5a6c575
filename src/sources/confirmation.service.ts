import type { Services } from '../access/context.ts'
import type { UserRow } from '../db/tables/accounts.ts'
import type { SourceId } from '../lib/ids.ts'
import { linksOf, offeredProviders } from './openid/openid.service.ts'
import { findSource } from './source.store.ts'

/** Where an account can prove again who uses it, beside its passkeys. */
export interface Confirmations {
  /** A password of its own or of its directory. */
  readonly hasPassword: boolean
  /** Names of the active providers that sign in to the account. */
  readonly providers: readonly string[]
}

export async function confirmationsOf(services: Services, user: UserRow): Promise<Confirmations> {
  const [source, links, offered] = await Promise.all([
    user.login_source_id === 0 ? undefined : findSource(services.db, user.login_source_id as SourceId),
    linksOf(services, user),
    offeredProviders(services),
  ])
  const names = new Set([...links.map((link) => link.source), ...(source ? [source.name] : [])])
  return {
    hasPassword: user.password_hash !== null || source?.kind === 'ldap',
    providers: offered.filter((name) => names.has(name)),
  }
}
