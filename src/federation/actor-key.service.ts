import { createPrivateKey, generateKeyPair, sign } from 'node:crypto'
import { promisify } from 'node:util'
import type { Services } from '../access/context.ts'
import { ownService } from '../access/own-service.ts'
import { transaction } from '../db/database.ts'
import type { ActorKeyRow } from '../db/tables/federation.ts'
import { createConcurrencyLimit } from '../lib/concurrency-limit.ts'
import { Unavailable } from '../lib/errors.ts'
import { nowUnix } from '../lib/time.ts'
import { findActorKey, insertActorKey, type LocalActor } from './actor-key.store.ts'

/** The purpose that private keys are sealed for. */
export const actorKeyPurpose = 'actor-key'

const generate = promisify(generateKeyPair)

/** Bits of the RSA keys of local actors; generating one takes about half a second. */
const rsaBits = 3072

/** The keys that are being generated, and the limit of their number. */
export const actorKeys = ownService('the keys of actors', {
  open: () => ({
    pending: new Map<LocalActor, Promise<ActorKeyRow>>(),
    // A key takes a thread of Node's pool: requests for many actors must not take all of them.
    limit: createConcurrencyLimit({
      running: 1,
      waiting: 200,
      refusal: () => new Unavailable('too many keys are being generated; try again later', 'keys_busy'),
    }),
  }),
})

/** Returns the key of a local actor, which is generated on first use. Throws `Unavailable` under load. */
async function keyOf(services: Services, actor: LocalActor): Promise<ActorKeyRow> {
  const known = await findActorKey(services.db, actor)
  if (known) return known
  const { pending, limit } = actorKeys.of(services)
  const begun = pending.get(actor)
  if (begun) return begun
  const key = limit.run(() => generateKey(services, actor)).finally(() => pending.delete(actor))
  pending.set(actor, key)
  return key
}

async function generateKey({ db, secrets, clock }: Services, actor: LocalActor): Promise<ActorKeyRow> {
  const { publicKey, privateKey } = await generate('rsa', {
    modulusLength: rsaBits,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
  const sealedPrivateKey = secrets.seal(actorKeyPurpose, privateKey)
  await transaction(db, (tx) => insertActorKey(tx, actor, { publicKey, sealedPrivateKey, createdUnix: nowUnix(clock) }))
  // Another process may have stored a key first; then that key is used.
  const stored = await findActorKey(db, actor)
  if (!stored) throw new Error('a key that was just generated is gone')
  return stored
}

/** Returns the public key of a local actor as PEM. */
export const publicKeyOf = async (services: Services, actor: LocalActor): Promise<string> =>
  (await keyOf(services, actor)).public_key

/** Signs a text as a local actor: RSA (PKCS #1 v1.5) with SHA-256. */
export async function signAs(services: Services, actor: LocalActor, text: string): Promise<Buffer> {
  const row = await keyOf(services, actor)
  const key = createPrivateKey(services.secrets.open(actorKeyPurpose, row.sealed_private_key))
  return new Promise((resolve, reject) =>
    sign('sha256', Buffer.from(text), key, (error, signature) => (error ? reject(error) : resolve(signature))),
  )
}
