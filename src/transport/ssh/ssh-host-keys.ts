import { createPrivateKey, generateKeyPair, randomBytes } from 'node:crypto'
import { access, constants, link, readFile, unlink, writeFile } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { makeFolder } from '../../lib/make-folder.ts'
import { promisify } from 'node:util'
import type { Services } from '../../access/context.ts'
import { transaction } from '../../db/database.ts'
import { SealError } from '../../secrets/secrets.ts'
import { findHostKey, insertHostKey, replaceHostKey } from './ssh-host-key.store.ts'

/** The purpose for which host keys are sealed. */
export const hostKeyPurpose = 'ssh-host-key'

const generateKeys = promisify(generateKeyPair)

/** Generates a key of the type in the file name. This does not use ssh2, which is loaded for the first client. */
async function generate(path: string): Promise<string> {
  const name = basename(path).toLowerCase()
  if (name.includes('ecdsa')) {
    const { privateKey } = await generateKeys('ec', { namedCurve: 'P-256' })
    return String(privateKey.export({ type: 'sec1', format: 'pem' }))
  }
  if (name.includes('rsa')) {
    const { privateKey } = await generateKeys('rsa', { modulusLength: 3072 })
    return String(privateKey.export({ type: 'pkcs1', format: 'pem' }))
  }
  const { privateKey } = await generateKeys('ed25519')
  const { d = '', x = '' } = privateKey.export({ format: 'jwk' })
  return openSshEd25519(Buffer.from(d, 'base64url'), Buffer.from(x, 'base64url'))
}

/**
 * An Ed25519 key in OpenSSH's format, the only one that SSH programs read for this type, without a passphrase. Source:
 * OpenSSH, PROTOCOL.key.
 */
function openSshEd25519(seed: Buffer, publicPart: Buffer): string {
  const kind = 'ssh-ed25519'
  const publicBlob = Buffer.concat([field(kind), field(publicPart)])
  const check = randomBytes(4)
  const body = Buffer.concat([check, check, publicBlob, field(Buffer.concat([seed, publicPart])), field('')])
  const padding = Buffer.from(Array.from({ length: (8 - (body.length % 8)) % 8 }, (_, index) => index + 1))
  const whole = Buffer.concat([
    Buffer.from('openssh-key-v1\0'),
    field('none'),
    field('none'),
    field(''),
    Buffer.from([0, 0, 0, 1]),
    field(publicBlob),
    field(Buffer.concat([body, padding])),
  ])
  const lines = whole.toString('base64').replace(/.{70}/g, '$&\n').trimEnd()
  return `-----BEGIN OPENSSH PRIVATE KEY-----\n${lines}\n-----END OPENSSH PRIVATE KEY-----\n`
}

/** A field with its length. */
function field(content: string | Buffer): Buffer {
  const bytes = Buffer.from(content as string)
  const length = Buffer.alloc(4)
  length.writeUInt32BE(bytes.length)
  return Buffer.concat([length, bytes])
}

/** The host keys of a starting server. */
export interface HostKeys {
  /** Resolves with all keys when the missing ones are generated; rejects when one cannot be. */
  readonly all: Promise<readonly string[]>
}

/**
 * Reads the private host keys and makes missing ones. Machines of one instance have the same keys: a machine without one gets
 * that of the database. When several servers start at once, the first key wins. This continues in the background, because an
 * RSA key takes up to half a second; an unwritable folder rejects at once.
 */
export async function openHostKeys(services: Services): Promise<HostKeys> {
  const { paths, server } = services.config
  const files = paths.sshHostKeys.map((path, index) => ({ path, name: server.sshServerHostKeys[index] ?? path }))
  const found = await Promise.all(paths.sshHostKeys.map(readOrPrepare))
  return {
    all: Promise.all(
      files.map(({ path, name }, index) => {
        const key = found[index]
        return key === undefined ? make(services, path, name) : share(services, name, key)
      }),
    ),
  }
}

/** Returns the key of the instance, unless it is sealed with a lost key of the instance. */
async function storedKey({ db, secrets }: Services, name: string): Promise<string | undefined> {
  const sealed = await findHostKey(db, name)
  try {
    return sealed === undefined ? undefined : secrets.open(hostKeyPurpose, sealed)
  } catch (error) {
    if (error instanceof SealError) return undefined
    throw error
  }
}

/** Makes the key in a file that of the instance: somebody put it there. */
async function share(services: Services, name: string, key: string): Promise<string> {
  if ((await storedKey(services, name)) === key) return key
  const sealed = services.secrets.seal(hostKeyPurpose, key)
  await transaction(services.db, (tx) => replaceHostKey(tx, name, sealed))
  return key
}

/** Reads a key. When the file is missing, creates its folder and checks that it is writable. */
async function readOrPrepare(path: string): Promise<string | undefined> {
  const key = await read(path)
  if (key === undefined) {
    makeFolder(dirname(path), 0o700)
    await access(dirname(path), constants.W_OK)
  }
  return key
}

const read = (path: string): Promise<string | undefined> =>
  readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })

/** Start of the content of a key in OpenSSH's format, with the cipher that means "no passphrase". */
const openSshStart = Buffer.concat([Buffer.from('openssh-key-v1\0'), field('none')])

/** Returns what is wrong with a stored host key; undefined when it is usable or does not exist. */
export async function problemOfHostKey(path: string): Promise<string | undefined> {
  try {
    const key = await read(path)
    if (key === undefined) return undefined
    const [, kind, body = ''] = /^-----BEGIN ((?:[A-Z]+ )?PRIVATE KEY)-----\n([^-]+)-----END \1-----\n?$/.exec(
      key.replaceAll('\r', ''),
    ) ?? [undefined, undefined]
    if (kind === undefined) return 'it is no private key, or one with a passphrase'
    if (kind !== 'OPENSSH PRIVATE KEY') {
      createPrivateKey(key)
      return undefined
    }
    const start = Buffer.from(body, 'base64').subarray(0, openSshStart.length)
    return start.equals(openSshStart) ? undefined : 'it is incomplete, or has a passphrase'
  } catch (error) {
    return Error.isError(error) ? error.message : String(error)
  }
}

async function make(services: Services, path: string, name: string): Promise<string> {
  const known = await storedKey(services, name)
  if (known !== undefined) return write(path, known)
  const key = await generate(path)
  const sealed = services.secrets.seal(hostKeyPurpose, key)
  await transaction(services.db, (tx) => insertHostKey(tx, name, sealed))
  return write(path, (await storedKey(services, name)) ?? key)
}

async function write(path: string, key: string): Promise<string> {
  const temporary = `${path}.${randomBytes(6).toString('hex')}`
  await writeFile(temporary, key, { mode: 0o600, flush: true })
  try {
    // `link` fails when another server was faster; `rename` would replace its key.
    await link(temporary, path)
    return key
  } catch (error) {
    const theirs = (error as NodeJS.ErrnoException).code === 'EEXIST' ? await read(path) : undefined
    if (theirs === undefined) throw error
    return theirs
  } finally {
    await unlink(temporary)
  }
}
