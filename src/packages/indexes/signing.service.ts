import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { SubjectCtx } from '../../access/context.ts'
import { transaction } from '../../db/database.ts'
import type { PackageKeyRow } from '../../db/tables/packages.ts'
import { nowUnix } from '../../lib/time.ts'
import { findKey, insertKey } from './key.store.ts'

/** The purpose under which private keys are sealed. */
export const packageKeyPurpose = 'package-key'

/** openpgp is loaded when the first index is signed. */
const load = () => import('openpgp')

/** Makes a key pair as text. */
export type MakeKey = (ctx: SubjectCtx) => Promise<{ readonly privateKey: string; readonly publicKey: string }>

/** Makes an RSA key, which OpenPGP programs of the last ten years accept. */
const makeOpenPgpKey: MakeKey = async ({ clock, config, subject }) => {
  const { generateKey } = await load()
  const name = `${subject.name} (packages at ${new URL(config.server.rootUrl).host})`
  const { privateKey, publicKey } = await generateKey({
    type: 'rsa',
    rsaBits: 3072,
    userIDs: [{ name }],
    date: new Date(clock.nowMs()),
    format: 'armored',
  })
  return { privateKey, publicKey }
}

/** Returns the key that signs an owner's registry, and makes it on first use. */
export async function getSigningKey(
  ctx: SubjectCtx,
  type: string,
  make: MakeKey = makeOpenPgpKey,
): Promise<PackageKeyRow> {
  const { db, secrets, subject, clock } = ctx
  const known = await findKey(db, subject.id, type)
  if (known) return known
  const { privateKey, publicKey } = await make(ctx)
  await transaction(db, (tx) =>
    insertKey(tx, {
      owner_id: subject.id,
      type,
      sealed_key: secrets.seal(packageKeyPurpose, privateKey),
      public_key: publicKey,
      created_unix: nowUnix(clock),
    }),
  )
  // Another request may have stored its key first.
  return getSigningKey(ctx, type, make)
}

/** Returns the private key of an owner's registry as text. */
export const openSealedKey = async (ctx: SubjectCtx, type: string, make?: MakeKey): Promise<string> =>
  ctx.secrets.open(packageKeyPurpose, (await getSigningKey(ctx, type, make)).sealed_key)

/** Loads the owner's OpenPGP key for signing. */
async function openKey(ctx: SubjectCtx, type: string) {
  const [{ readPrivateKey }, armoredKey] = await Promise.all([load(), openSealedKey(ctx, type)])
  const signingKeys = await readPrivateKey({ armoredKey })
  return { signingKeys, date: new Date(ctx.clock.nowMs()) }
}

/** Signs a text with OpenPGP; returns it as a clear-signed message and its detached signature. */
export async function signText(
  ctx: SubjectCtx,
  type: string,
  text: string,
): Promise<{ readonly clear: string; readonly detached: string }> {
  const { createCleartextMessage, createMessage, sign } = await load()
  const key = await openKey(ctx, type)
  const [clear, detached] = await Promise.all([
    sign({ message: await createCleartextMessage({ text }), ...key }),
    sign({ message: await createMessage({ binary: Buffer.from(text) }), ...key, detached: true }),
  ])
  return { clear, detached: String(detached) }
}

/** Returns the binary detached OpenPGP signature of bytes or of a whole stream. */
export async function signBytes(ctx: SubjectCtx, type: string, content: Buffer | Readable): Promise<Buffer> {
  const { createMessage, sign } = await load()
  const key = await openKey(ctx, type)
  const binary = Buffer.isBuffer(content) ? content : (Readable.toWeb(content) as never)
  const message = await createMessage({ binary })
  const signed: unknown = await sign({ message, ...key, detached: true, format: 'binary' })
  return signed instanceof Uint8Array ? Buffer.from(signed) : buffer(signed as AsyncIterable<Uint8Array>)
}
