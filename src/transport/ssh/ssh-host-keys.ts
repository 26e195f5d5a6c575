import { createPrivateKey, generateKeyPair, randomBytes } from 'node:crypto'
import { access, constants, link, readFile, unlink, writeFile } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { makeFolder } from '../../lib/make-folder.ts'
import { promisify } from 'node:util'

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
 * Reads the private host keys and generates missing ones. When several servers start on one folder, the first key wins.
 * Generation continues in the background, because an RSA key takes up to half a second; an unwritable folder rejects at
 * once.
 */
export async function openHostKeys(paths: readonly string[]): Promise<HostKeys> {
  const known = await Promise.all(paths.map(readOrPrepare))
  return { all: Promise.all(paths.map(async (path, index) => known[index] ?? make(path))) }
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

async function make(path: string): Promise<string> {
  const key = await generate(path)
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
