import { randomUUID } from 'node:crypto'
import type { Services } from '../../access/context.ts'
import { recordAct } from '../../audit/audit.ts'
import { findPersonByPrimary } from '../../auth/account.store.ts'
import { transaction } from '../../db/database.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import { AccountRefused, Invalid } from '../../lib/errors.ts'
import { nowUnix } from '../../lib/time.ts'
import { createUser } from '../../users/user.service.ts'
import { findUserByName } from '../../users/user.store.ts'
import { noteLogin } from '../person.store.ts'
import type { ProxyIdentity } from './proxy-headers.rules.ts'

/** Time between two audit entries of a person who comes through the proxy, in seconds. */
const loginNotedSeconds = 3600

/**
 * Returns the account that a proxy names, by name or else by confirmed address. Creates it with
 * `[service].ENABLE_REVERSE_PROXY_AUTO_REGISTRATION`.
 * @returns undefined when it does not exist
 * @throws AccountRefused when it cannot be created
 */
export async function accountOfProxy(services: Services, headers: ProxyIdentity): Promise<UserRow | undefined> {
  const found = await findAccount(services, headers)
  if (found === 'taken') return undefined
  const user = found ?? (await makeProxied(services, headers))
  if (!user || user.prohibit_login || !user.is_active) return user
  const now = nowUnix(services.clock)
  if (user.last_login_unix + loginNotedSeconds > now) return user
  await transaction(services.db, async (tx) => {
    if (!(await noteLogin(tx, user.id, now, now - loginNotedSeconds))) return
    const about = { kind: 'account', id: user.id } as const
    await recordAct(tx, { action: 'session.begun', doerId: user.id, about, details: { by: 'reverse proxy' } })
  })
  return user
}

/** The name of an organization signs nobody in. */
async function findAccount(
  { db, config }: Services,
  { name, email }: ProxyIdentity,
): Promise<UserRow | 'taken' | undefined> {
  const named = name === undefined ? undefined : await findUserByName(db, name)
  if (named) return named.kind === 'individual' ? named : 'taken'
  const isMade = name !== undefined && config.service.enableReverseProxyAutoRegistration
  return email === undefined || isMade ? undefined : findPersonByPrimary(db, email)
}

async function makeProxied(services: Services, { name, email, fullName }: ProxyIdentity): Promise<UserRow | undefined> {
  if (name === undefined || !services.config.service.enableReverseProxyAutoRegistration) return undefined
  try {
    return await createUser(services, { name, email: email ?? `${randomUUID()}@localhost`, fullName })
  } catch (error) {
    if (!(error instanceof Invalid)) throw error
    // A new browser sends several requests at once.
    const made = await findUserByName(services.db, name)
    if (made?.kind === 'individual') return made
    services.log('warn', 'a person named by the reverse proxy cannot have an account', { name, reason: error.message })
    throw new AccountRefused('the reverse proxy names a person who cannot have an account here', 'proxied_unfit')
  }
}
