import type { Services } from '../access/context.ts'
import { isUniqueViolation, transaction, type Tx } from '../db/database.ts'
import type { UserRow } from '../db/tables/accounts.ts'
import { publish } from '../events/hub.ts'
import { Invalid } from '../lib/errors.ts'
import type { UserId } from '../lib/ids.ts'
import { nowUnix } from '../lib/time.ts'
import { mayNameAccount } from './name.rules.ts'
import {
  deleteOldRedirects,
  deleteRedirect,
  findRedirect,
  findUserByName,
  insertRedirect,
  updateUser,
} from './user.store.ts'

const secondsOfDay = 86_400

/**
 * Throws `Invalid` when the account may not take a name: malformed, taken, or released within
 * `[service].USERNAME_COOLDOWN_PERIOD`.
 * @param self the account that takes it; undefined for a new one
 */
export async function checkAccountName(services: Services, name: string, self?: UserRow): Promise<void> {
  const { config, db, clock } = services
  const named = mayNameAccount(name, config.service)
  if (!named.allowed) throw new Invalid(named.reason, named.code)
  const holder = await findUserByName(db, name)
  if (holder && holder.id !== self?.id) throw new Invalid(`the name ${name} is taken`, 'name_taken')
  const cooldown = config.service.usernameCooldownPeriod * secondsOfDay
  if (cooldown <= 0) return
  const former = await findRedirect(db, name.toLowerCase())
  if (former && former.user_id !== self?.id && former.created_unix + cooldown > nowUnix(clock)) {
    throw new Invalid(
      `the name ${name} was given up a short time ago; try again later or choose another one`,
      'name_cooling_down',
    )
  }
}

/**
 * Renames an account. The former name redirects to it, and a redirect from the new name ends. A change of letter case
 * creates no redirect. Throws `Invalid` for malformed and taken names.
 */
export async function renameAccount(
  services: Services,
  account: UserRow,
  newName: string,
  doerId: UserId,
): Promise<void> {
  if (newName === account.name) return
  await checkAccountName(services, newName, account)
  try {
    await transaction(services.db, (tx) => rename(services, tx, account, newName, doerId))
  } catch (error) {
    if (isUniqueViolation(error)) throw new Invalid(`the name ${newName} is taken`, 'name_taken')
    throw error
  }
}

async function rename(services: Services, tx: Tx, account: UserRow, newName: string, doerId: UserId): Promise<void> {
  const now = nowUnix(services.clock)
  const lowerName = newName.toLowerCase()
  await deleteRedirect(tx, lowerName)
  await updateUser(tx, account.id, { name: newName, lower_name: lowerName, updated_unix: now })
  if (lowerName !== account.lower_name) {
    await insertRedirect(tx, { lower_name: account.lower_name, user_id: account.id, created_unix: now })
    const { maxUserRedirects } = services.config.service
    if (maxUserRedirects > 0) await deleteOldRedirects(tx, account.id, maxUserRedirects)
  }
  await publish(tx, 'user.renamed', { userId: account.id, doerId, oldName: account.name, newName })
}
