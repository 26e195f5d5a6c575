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

/** Accounts that one server may bring within an hour. */
const maxNewAccounts = 500
const hourSeconds = 3600

/** The account of an actor of another server, asked for when it is not known. Throws PeerProblem. */
export async function getRemoteAccount(services: Services, actorUrl: string): Promise<FederatedAccountRow> {
  return (
    (await findAccountByActor(services.db, actorUrl)) ?? keepAccount(services, await fetchActor(services, actorUrl))
  )
}

/** Somebody is gone at the other server: the account goes, and what it wrote here stays under nobody's name. */
export async function forgetAccount(services: Services, { user_id: userId }: FederatedAccountRow): Promise<void> {
  const user = await findUserById(services.db, userId)
  if (!user) return
  await removeAccount(services, user, async (tx) => {
    await publish(tx, 'user.deleted', { userId, doerId: userId, name: user.name, purged: false })
    await deleteAccountRow(tx, userId)
  })
}

/** An actor is asked for again at most once in this time, in seconds, because it says that it has changed. */
const refreshSeconds = 60

/** Asks for an actor that says that it has changed; when it cannot be read, what was known stays. */
export async function refreshAccount(services: Services, account: FederatedAccountRow): Promise<void> {
  if (nowUnix(services.clock) - account.fetched_unix < refreshSeconds) return
  try {
    await keepAccount(services, await fetchActor(services, account.actor_url))
  } catch (error) {
    if (!(error instanceof PeerProblem)) throw error
    services.log('info', 'an actor could not be read again', { actor: account.actor_url, reason: error.message })
  }
}

/**
 * Keeps what an actor says of itself, and makes its account when there is none: nobody can sign in to it. Throws PeerProblem
 * for an actor that can have none, and TooManyRequests.
 */
export async function keepAccount(services: Services, actor: RemoteActor): Promise<FederatedAccountRow> {
  const { db, clock } = services
  const { key } = actor
  const login = loginOf(actor)
  if (!isPerson(actor)) throw new PeerProblem(`the actor is no person: ${actor.type}`, false)
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
    if (!known) await refuseFlood(services, server)
    try {
      await transaction(db, async (tx) => {
        if (!known) return makeAccount(services, tx, { login, fullName, actorUrl: actor.id, facts })
        await updateFederatedAccount(tx, known.user_id, facts)
        if (await updateFullName(tx, known.user_id, fullName, facts.fetched_unix)) {
          await publish(tx, 'user.edited', { userId: known.user_id, doerId: known.user_id })
        }
      })
    } catch (error) {
      // Another request made the same account at the same time: the second look finds it.
      if (!isUniqueViolation(error)) throw error
      if (attempt > 0) throw new PeerProblem('the key of the actor is one of another actor', false, { cause: error })
      continue
    }
    const kept = await findAccountByActor(db, actor.id)
    if (!kept) throw new Error('an account that was just kept is gone')
    return kept
  }
}

async function refuseFlood({ db, clock }: Services, server: FederatedServerRow): Promise<void> {
  const since = nowUnix(clock) - hourSeconds
  if ((await countNewAccounts(db, server.id, since, maxNewAccounts)) >= maxNewAccounts) {
    throw new TooManyRequests('too many new accounts of one server within an hour', 'peer_limit', { of: server.origin })
  }
}

interface NewRemote {
  readonly login: string
  readonly fullName: string
  readonly actorUrl: string
  readonly facts: Omit<FederatedAccountRow, 'user_id'>
}

async function makeAccount({ config, clock }: Services, tx: Tx, remote: NewRemote): Promise<void> {
  const { login, fullName, actorUrl, facts } = remote
  // Somebody here may have the login already, on purpose as well.
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
