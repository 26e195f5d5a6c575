import { createHash, createPrivateKey, createPublicKey, generateKeyPair, sign, type KeyObject } from 'node:crypto'
import { promisify } from 'node:util'
import { fingerprintOf, lengthAndBytes, reader } from './ssh-public-key.ts'
import { wordTable } from '../lib/word-table.ts'

/** The supported signature formats, with the names of git's `gpg.format`. */
export type SignatureFormat = 'openpgp' | 'ssh'

/** A private key that signs commits. */
export interface GitSigner {
  readonly format: SignatureFormat
  /** Hexadecimal for OpenPGP keys; for SSH keys as `ssh-keygen -l` prints it. */
  readonly fingerprint: string
  /** For OpenPGP: the ids of the key and its subkeys, 16 upper-case hexadecimal digits each. */
  readonly keyIds: readonly string[]
  /** The public key: armoured, or as a line of `authorized_keys`. */
  readonly publicKey: string
  /** The user of the key, or empty strings. */
  readonly name: string
  readonly email: string
  /** The expiry time in seconds; undefined for a key without expiry. */
  readonly expiresUnix: number | undefined
  /** Returns the armoured signature of bytes. It is computed off the event loop. */
  sign(payload: Buffer, atMs: number): Promise<string>
}

/** A text that cannot be used as a signing key. The message contains the reason and nothing of the text. */
export class UnusableKey extends Error {
  override readonly name = 'UnusableKey'
}

const loadPgp = () => import('openpgp')

/** Generates an OpenPGP key as armoured text, of a type that programs of the last ten years support. */
export async function makePgpKey(
  person: { readonly name: string; readonly email: string },
  atMs: number,
): Promise<string> {
  const { generateKey } = await loadPgp()
  const { privateKey } = await generateKey({
    type: 'ecc',
    curve: 'ed25519Legacy',
    // A literal user id: the library would refuse addresses of hosts without a dot.
    userIDs: [{ name: `${person.name.replaceAll(/[<>]/g, '')} <${person.email}>` }],
    // No subkey for encryption: the key only signs.
    subkeys: [],
    date: new Date(atMs),
    format: 'armored',
  })
  return privateKey
}

/** Reads a private OpenPGP key that can sign at the given time. Throws UnusableKey. */
export async function openPgpSigner(armoredKey: string, atMs: number): Promise<GitSigner> {
  const { createMessage, readPrivateKey, sign: signMessage } = await loadPgp()
  const at = new Date(atMs)
  const key = await readPrivateKey({ armoredKey }).catch(() => {
    throw new UnusableKey('is not a single armoured private OpenPGP key')
  })
  if (!key.isDecrypted()) throw new UnusableKey('is protected by a passphrase; remove the passphrase')
  if (await key.isRevoked(undefined, undefined, at)) throw new UnusableKey('is revoked')
  await key.getSigningKey(undefined, at).catch(() => {
    throw new UnusableKey('cannot sign or has expired')
  })
  const user = (await key.getPrimaryUser(at)).user.userID
  const expiration = await key.getExpirationTime()
  return {
    format: 'openpgp',
    fingerprint: key.getFingerprint().toUpperCase(),
    keyIds: key.getKeys().map((each) => each.getKeyID().toHex().toUpperCase()),
    publicKey: key.toPublic().armor(),
    name: user?.name ?? '',
    email: user?.email ?? '',
    expiresUnix: expiration instanceof Date ? Math.floor(expiration.getTime() / 1000) : undefined,
    async sign(payload, signedAtMs) {
      const message = await createMessage({ binary: new Uint8Array(payload) })
      const date = new Date(signedAtMs)
      return String(await signMessage({ message, signingKeys: key, detached: true, date, format: 'armored' }))
    },
  }
}

/** The SSH name of a key type, and the name and hash of its signatures. */
interface SshKind {
  readonly blob: Buffer
  readonly signatureType: string
  readonly digest: string | undefined
}

const curves = wordTable<{ readonly name: string; readonly digest: string }>({
  'P-256': { name: 'nistp256', digest: 'sha256' },
  'P-384': { name: 'nistp384', digest: 'sha384' },
  'P-521': { name: 'nistp521', digest: 'sha512' },
})

const strings = (...parts: readonly (string | Buffer)[]): Buffer =>
  Buffer.concat(parts.flatMap((part) => lengthAndBytes(Buffer.from(part as string))))

/** Encodes an SSH mpint (RFC 4251): without leading zero bytes, except one that keeps the number positive. */
function positive(bytes: Buffer): Buffer {
  const start = bytes.findIndex((byte) => byte !== 0)
  const short = start === -1 ? Buffer.alloc(0) : bytes.subarray(start)
  return ((short[0] ?? 0) & 0x80) === 0 ? short : Buffer.concat([Buffer.from([0]), short])
}

function sshKindOf(key: KeyObject): SshKind {
  const { kty, crv = '', x = '', y = '', n = '', e = '' } = createPublicKey(key).export({ format: 'jwk' })
  const [bx, by] = [Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]
  if (kty === 'OKP' && crv === 'Ed25519') {
    return { blob: strings('ssh-ed25519', bx), signatureType: 'ssh-ed25519', digest: undefined }
  }
  if (kty === 'RSA') {
    const [modulus, exponent] = [Buffer.from(n, 'base64url'), Buffer.from(e, 'base64url')]
    return {
      blob: strings('ssh-rsa', positive(exponent), positive(modulus)),
      signatureType: 'rsa-sha2-512',
      digest: 'sha512',
    }
  }
  const curve = kty === 'EC' ? curves[crv] : undefined
  if (!curve) throw new UnusableKey('has a type that SSH signatures do not support; use Ed25519')
  const type = `ecdsa-sha2-${curve.name}`
  return {
    blob: strings(type, curve.name, Buffer.concat([Buffer.from([4]), bx, by])),
    signatureType: type,
    digest: curve.digest,
  }
}

const makePair = promisify(generateKeyPair)

/** Generates an SSH key as PKCS #8 text. */
export const makeSshKey = async (): Promise<string> =>
  String((await makePair('ed25519')).privateKey.export({ type: 'pkcs8', format: 'pem' }))

/** Parses a private key in one of the formats of SSH programs. Throws UnusableKey. */
async function readSshKey(text: string): Promise<KeyObject> {
  const none = new UnusableKey('is not a private SSH key, or is protected by a passphrase; remove the passphrase')
  let pem = text
  if (text.includes('-----BEGIN OPENSSH PRIVATE KEY-----')) {
    // OpenSSH's own format; Node parses the others.
    const { default: ssh } = await import('ssh2')
    const parsed = ssh.utils.parseKey(text)
    if (Error.isError(parsed) || !parsed.isPrivateKey()) throw none
    pem = parsed.getPrivatePEM()
  }
  try {
    return createPrivateKey(pem)
  } catch {
    // The message of OpenSSL does not help an administrator.
    throw none
  }
}

/** Reads a private SSH key. Throws UnusableKey. */
export async function sshSigner(text: string, comment = ''): Promise<GitSigner> {
  const key = await readSshKey(text)
  const { blob, signatureType, digest } = sshKindOf(key)
  const type = reader(blob).next().toString('latin1')
  return {
    format: 'ssh',
    fingerprint: fingerprintOf(blob),
    keyIds: [],
    publicKey: `${type} ${blob.toString('base64')}${comment === '' ? '' : ` ${comment}`}\n`,
    name: '',
    email: '',
    expiresUnix: undefined,
    async sign(payload) {
      // PROTOCOL.sshsig of OpenSSH, with git's namespace.
      const hashed = createHash('sha512').update(payload).digest()
      const signed = Buffer.concat([Buffer.from('SSHSIG'), strings('git', '', 'sha512', hashed)])
      const made = await rawSignature(key, digest, signed)
      const raw = signatureType.startsWith('ecdsa-')
        ? strings(positive(made.subarray(0, made.length / 2)), positive(made.subarray(made.length / 2)))
        : made
      const body = Buffer.concat([
        Buffer.from('SSHSIG'),
        Buffer.from([0, 0, 0, 1]),
        strings(blob, 'git', '', 'sha512', strings(signatureType, raw)),
      ])
      const lines = body.toString('base64').replaceAll(/.{70}/g, '$&\n').trimEnd()
      return `-----BEGIN SSH SIGNATURE-----\n${lines}\n-----END SSH SIGNATURE-----\n`
    },
  }
}

const rawSignature = (key: KeyObject, digest: string | undefined, signed: Buffer): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    sign(digest ?? null, signed, { key, dsaEncoding: 'ieee-p1363' }, (error, made) => {
      if (error) reject(error)
      else resolve(made)
    })
  })
