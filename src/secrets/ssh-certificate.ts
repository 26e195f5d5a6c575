import { wordTable } from '../lib/word-table.ts'
import { fingerprintOf, lengthAndBytes, provesKeyAsSent, reader } from './ssh-public-key.ts'

/** A user certificate that an authority signed (PROTOCOL.certkeys of OpenSSH). */
export interface SshCertificate {
  /** The certified key, as a plain public key blob. */
  readonly key: Buffer
  readonly serial: bigint
  /** The key id that the authority assigned. */
  readonly name: string
  /** The principals that the holder can sign in as. */
  readonly principals: readonly string[]
  /** The validity: from the first second up to the second one, exclusive. */
  readonly validFromUnix: number
  readonly validUntilUnix: number
  /** The critical options, which a server must understand to accept the certificate. */
  readonly criticalOptions: ReadonlyMap<string, string>
  /** The key of the authority. */
  readonly authority: Buffer
}

/** Returns the fingerprints of authorities from lines of public keys. */
export const trustedAuthorities = (lines: readonly string[]): ReadonlySet<string> =>
  new Set(lines.map((line) => fingerprintOf(Buffer.from(line.split(/\s+/)[1] ?? '', 'base64'))))

/** Types of certificates: the key type, and the number of its strings. */
const forms = wordTable<{ readonly type: string; readonly strings: number }>({
  'ssh-ed25519-cert-v01@openssh.com': { type: 'ssh-ed25519', strings: 1 },
  'ssh-rsa-cert-v01@openssh.com': { type: 'ssh-rsa', strings: 2 },
  'ecdsa-sha2-nistp256-cert-v01@openssh.com': { type: 'ecdsa-sha2-nistp256', strings: 2 },
  'ecdsa-sha2-nistp384-cert-v01@openssh.com': { type: 'ecdsa-sha2-nistp384', strings: 2 },
  'ecdsa-sha2-nistp521-cert-v01@openssh.com': { type: 'ecdsa-sha2-nistp521', strings: 2 },
  'sk-ssh-ed25519-cert-v01@openssh.com': { type: 'sk-ssh-ed25519@openssh.com', strings: 2 },
  'sk-ecdsa-sha2-nistp256-cert-v01@openssh.com': { type: 'sk-ecdsa-sha2-nistp256@openssh.com', strings: 3 },
})

/** The certificate type of users; the other one is for hosts. */
const forPeople = 1

/** Largest certificate. OpenSSH writes at most 256 principals. */
const maxCertificateBytes = 64 * 1024

/**
 * Parses a user certificate with a valid signature of its authority; undefined for anything else, such as a plain key. The caller
 * checks whether the authority is trusted and the certificate is valid now.
 */
export function readCertificate(blob: Buffer): SshCertificate | undefined {
  if (blob.length > maxCertificateBytes) return undefined
  try {
    return takeApart(blob)
  } catch {
    // A malformed blob is not a certificate.
    return undefined
  }
}

function takeApart(blob: Buffer): SshCertificate | undefined {
  const fields = reader(blob)
  const form = forms[fields.next().toString('latin1')]
  if (form === undefined) return undefined
  // The nonce.
  fields.next()
  const key = [Buffer.from(form.type), ...Array.from({ length: form.strings }, () => fields.next())]
  const serial = fields.largeNumber()
  if (fields.number() !== forPeople) return undefined
  const name = fields.next().toString('utf8')
  const principals = stringsOf(fields.next()).map((each) => each.toString('utf8'))
  const [validFromUnix, validUntilUnix] = [Number(fields.largeNumber()), Number(fields.largeNumber())]
  const criticalOptions = optionsOf(fields.next())
  const [_extensions, _reserved, authority] = [fields.next(), fields.next(), fields.next()]
  const signed = blob.subarray(0, fields.offset())
  const signature = fields.next()
  if (criticalOptions === undefined || fields.rest().length > 0 || authority === undefined) return undefined
  if (!provesKeyAsSent(authority, signed, signature)) return undefined
  return {
    key: Buffer.concat(key.flatMap(lengthAndBytes)),
    ...{ serial, name, principals, validFromUnix, validUntilUnix, criticalOptions, authority },
  }
}

function stringsOf(bytes: Buffer): Buffer[] {
  const all: Buffer[] = []
  for (const fields = reader(bytes); fields.rest().length > 0;) all.push(fields.next())
  return all
}

/** Returns options by name; undefined when a name occurs twice. A value is empty, or a string inside of the string. */
function optionsOf(bytes: Buffer): Map<string, string> | undefined {
  const options = new Map<string, string>()
  const fields = reader(bytes)
  while (fields.rest().length > 0) {
    const [name, value] = [fields.next().toString('utf8'), fields.next()]
    if (options.has(name)) return undefined
    options.set(name, stringsOf(value)[0]?.toString('utf8') ?? '')
  }
  return options
}
