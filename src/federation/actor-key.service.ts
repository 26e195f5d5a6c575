import { createPrivateKey, generateKeyPair, sign, type KeyObject } from 'node:crypto'
import { promisify } from 'node:util'
import type { Services } from '../access/context.ts'
import { ownService } from '../access/own-service.ts'
import { transaction } from '../db/database.ts'
import type { ActorKeyRow } from '../db/tables/federation.ts'
import { createConcurrencyLimit, type ConcurrencyLimit } from '../lib/concurrency-limit.ts'
import { Unavailable } from '../lib/errors.ts'
import { nowUnix } from '../lib/time.ts'
import { findActorKey, insertActorKey, type LocalActor } from './actor-key.store.ts'

/** What private keys are sealed for. */
export const actorKeyPurpose = 'actor-key'

const generate = promisify(generateKeyPair)

/** Bits of the keys of local actors; one takes about half a second to make. */
const rsaBits = 3072

/** Private keys that are kept opened: opening one costs as much as a signature. */
const maxOpened = 100

/** Keys that are being made, and those that were opened last. */
export const actorKeys = ownService('the keys of actors', {
  open: () => new ActorKeys(),
})

class ActorKeys {
  readonly making = new Map<LocalActor, Promise<ActorKeyRow>>()
  readonly opened = new Map<string, KeyObject>()
  /** Making a key takes a thread of the pool: strangers who ask for many actors take one, and not all of them. */
  readonly limit: ConcurrencyLimit = createConcurrencyLimit({
    running: 1,
    waiting: 200,
    refusal: () => new Unavailable('too many keys are being made', 'keys_busy'),
  })
}

/** The key of a local actor, made now when there is none. Throws Unavailable under load. */
async function keyOf(services: Services, actor: LocalActor): Promise<ActorKeyRow> {
  const known = await findActorKey(services.db, actor)
  if (known) return known
  const { making, limit } = actorKeys.of(services)
  const begun = making.get(actor)
  if (begun) return begun
  const made = limit.run(() => makeKey(services, actor)).finally(() => making.delete(actor))
  making.set(actor, made)
  return made
}

async function makeKey({ db, secrets, clock }: Services, actor: LocalActor): Promise<ActorKeyRow> {
  const { publicKey, privateKey } = await generate('rsa', {
    modulusLength: rsaBits,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
  const sealedPrivateKey = secrets.seal(actorKeyPurpose, privateKey)
  await transaction(db, (tx) => insertActorKey(tx, actor, { publicKey, sealedPrivateKey, createdUnix: nowUnix(clock) }))
  // Another process may have been quicker; then its key counts.
  const kept = await findActorKey(db, actor)
  if (!kept) throw new Error('a key that was just made is gone')
  return kept
}

/** The public key of a local actor as PEM, made when it is first needed. */
export const publicKeyOf = async (services: Services, actor: LocalActor): Promise<string> =>
  (await keyOf(services, actor)).public_key

/** Signs a text in the name of a local actor: RSA (PKCS #1 v1.5) with SHA-256. */
export async function signAs(services: Services, actor: LocalActor, text: string): Promise<Buffer> {
  const row = await keyOf(services, actor)
  const key = openedKey(services, row)
  return new Promise((resolve, reject) =>
    sign('sha256', Buffer.from(text), key, (error, signature) => (error ? reject(error) : resolve(signature))),
  )
}

function openedKey(services: Services, { sealed_private_key: sealed }: ActorKeyRow): KeyObject {
  const { opened } = actorKeys.of(services)
  const known = opened.get(sealed)
  if (known) return known
  const key = createPrivateKey(services.secrets.open(actorKeyPurpose, sealed))
  const [oldest] = opened.keys()
  if (opened.size >= maxOpened && oldest !== undefined) opened.delete(oldest)
  opened.set(sealed, key)
  return key
}
