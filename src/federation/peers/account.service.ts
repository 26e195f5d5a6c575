import { hash, randomUUID } from 'node:crypto'
import type { Services } from '../../access/context.ts'
import { isUniqueViolation, transaction, type Tx } from '../../db/database.ts'
import type { FederatedAccountRow, FederatedServerRow } from '../../db/tables/federation.ts'
import { publish } from '../../events/hub.ts'
import { TooManyRequests } from '../../lib/errors.ts'
import { nowUnix } from '../../lib/time.ts'
import { deleteAccountRow } from '../../admin/accounts/account.store.ts'
import { removeAccount } from '../../users/account-removal.service.ts'
import { blankAccount, findUserById, insertUser } from '../../users/user.store.ts'
import { isPerson, loginOf, type RemoteActor } from './actor.rules.ts'
import {
  countNewAccounts,
  findAccountByActor,
  insertFederatedAccount,
  isNameKnown,
  updateFederatedAccount,
  updateFullName,
} from './account.store.ts'
import { fetchActor } from './fetch.service.ts'
import { PeerProblem } from './peer-problem.ts'
import { getServer } from './server.service.ts'

/** New accounts of one server within an hour. */
const maxNewAccounts = 500
const hourSeconds = 3600

/** Returns the account of a remote actor, which is fetched when it is unknown. Throws `PeerProblem`. */
export async function getRemoteAccount(services: Services, actorUrl: string): Promise<FederatedAccountRow> {
  return (
    (await findAccountByActor(services.db, actorUrl)) ?? saveAccount(services, await fetchActor(services, actorUrl))
  )
}

/**
 * Deletes the account of a remote actor; its issues and comments stay under the ghost account.
 * @param before runs in the transaction; may refuse
 */
export async function deleteAccount(
  services: Services,
  { user_id: userId }: FederatedAccountRow,
  before: (tx: Tx) => Promise<void>,
): Promise<void> {
  const user = await findUserById(services.db, userId)
  if (!user) return
  await removeAccount(services, user, async (tx) => {
    await before(tx)
    await publish(tx, 'user.deleted', { userId, doerId: userId, name: user.name, purged: false })
    await deleteAccountRow(tx, userId)
  })
}

/** Shortest time between two fetches of an actor after its `Update`, in seconds. */
const refreshSeconds = 60

/** Fetches an actor again after its `Update`; when that fails, its account stays as it is. */
export async function refreshAccount(services: Services, account: FederatedAccountRow): Promise<void> {
  if (nowUnix(services.clock) - account.fetched_unix < refreshSeconds) return
  try {
    await saveAccount(services, await fetchActor(services, account.actor_url))
  } catch (error) {
    if (!(error instanceof PeerProblem)) throw error
    services.log('info', 'cannot refresh an actor; its account stays as it is', {
      actor: account.actor_url,
      reason: error.message,
    })
  }
}

/**
 * Creates or updates the account of a remote actor; nobody can sign in to it. Throws `PeerProblem` for an actor that cannot have
 * an account, and `TooManyRequests`.
 */
export async function saveAccount(services: Services, actor: RemoteActor): Promise<FederatedAccountRow> {
  const { db, clock } = services
  const { key } = actor
  const login = loginOf(actor)
  if (!isPerson(actor)) throw new PeerProblem(`the actor must be a person, not ${actor.type}`, false)
  if (login === undefined) throw new PeerProblem('the actor has no usable preferredUsername', false)
  if (!key) throw new PeerProblem('the actor has no key of its own', false)
  const server = await getServer(services, actor.id)
  const facts = {
    server_id: server.id,
    actor_url: actor.id,
    inbox_url: actor.inbox,
    shared_inbox_url: actor.sharedInbox,
    page_url: actor.page,
    key_id: key.id,
    public_key: key.pem,
    fetched_unix: nowUnix(clock),
  }
  const fullName = actor.name === '' ? login : actor.name
  for (let attempt = 0; ; attempt++) {
    const known = await findAccountByActor(db, actor.id)
    if (!known) await refuseManyAccounts(services, server)
    try {
      await transaction(db, async (tx) => {
        if (!known) return createAccount(services, tx, { login, fullName, actorUrl: actor.id, facts })
        await updateFederatedAccount(tx, known.user_id, facts)
        if (await updateFullName(tx, known.user_id, fullName, facts.fetched_unix)) {
          await publish(tx, 'user.edited', { userId: known.user_id, doerId: known.user_id })
        }
      })
    } catch (error) {
      // Another request made the same account at the same time: the second look finds it.
      if (!isUniqueViolation(error)) throw error
      if (attempt > 0) throw new PeerProblem('the key of the actor belongs to another actor', false, { cause: error })
      continue
    }
    const saved = await findAccountByActor(db, actor.id)
    if (!saved) throw new Error('an account that was just saved is gone')
    return saved
  }
}

async function refuseManyAccounts({ db, clock }: Services, server: FederatedServerRow): Promise<void> {
  const since = nowUnix(clock) - hourSeconds
  if ((await countNewAccounts(db, server.id, since, maxNewAccounts)) >= maxNewAccounts) {
    throw new TooManyRequests('too many new accounts of one server within an hour', 'peer_limit', { of: server.origin })
  }
}

interface NewRemoteAccount {
  readonly login: string
  readonly fullName: string
  readonly actorUrl: string
  readonly facts: Omit<FederatedAccountRow, 'user_id'>
}

async function createAccount({ config, clock }: Services, tx: Tx, remote: NewRemoteAccount): Promise<void> {
  const { login, fullName, actorUrl, facts } = remote
  // A local account may have this login, perhaps to impersonate.
  const isTaken = await isNameKnown(tx, login.toLowerCase())
  const name = isTaken ? `${login}-${hash('sha256', actorUrl, 'hex').slice(0, 8)}` : login
  const createdUnix = nowUnix(clock)
  const user = await insertUser(tx, {
    ...blankAccount,
    kind: 'individual',
    name,
    lower_name: name.toLowerCase(),
    full_name: fullName,
    email: `f${randomUUID()}@${new URL(config.server.rootUrl).hostname}`,
    keep_email_private: false,
    email_notifications: 'disabled',
    is_active: false,
    max_repo_creation: 0,
    visibility: 'public',
    theme: config.ui.defaultTheme,
    created_unix: createdUnix,
    updated_unix: createdUnix,
  })
  await insertFederatedAccount(tx, { ...facts, user_id: user.id })
  await publish(tx, 'user.created', { userId: user.id, doerId: user.id })
}
