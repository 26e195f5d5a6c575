import { wordTable } from '../lib/word-table.ts'
import { fingerprintOf, lengthAndBytes, provesKeyAsSent, reader } from './ssh-public-key.ts'

/** A certificate for a person's key, which an authority signed (PROTOCOL.certkeys of OpenSSH). */
export interface SshCertificate {
  /** The key that it is about, as it stands by itself. */
  readonly key: Buffer
  readonly serial: bigint
  /** What the authority calls it. */
  readonly name: string
  /** Whom its holder may sign in as. */
  readonly principals: readonly string[]
  /** Time in which it is good: from the first second on, up to the second one, which is not in it. */
  readonly validFromUnix: number
  readonly validUntilUnix: number
  /** What must be understood by whoever lets somebody in with it. */
  readonly criticalOptions: ReadonlyMap<string, string>
  /** The key of the authority. */
  readonly authority: Buffer
}

/** Fingerprints of the authorities that settings list as lines of public keys. */
export const trustedAuthorities = (lines: readonly string[]): ReadonlySet<string> =>
  new Set(lines.map((line) => fingerprintOf(Buffer.from(line.split(/\s+/)[1] ?? '', 'base64'))))

/** Forms of certificates: the kind of the key, and how many strings it consists of. */
const forms = wordTable<{ readonly type: string; readonly strings: number }>({
  'ssh-ed25519-cert-v01@openssh.com': { type: 'ssh-ed25519', strings: 1 },
  'ssh-rsa-cert-v01@openssh.com': { type: 'ssh-rsa', strings: 2 },
  'ecdsa-sha2-nistp256-cert-v01@openssh.com': { type: 'ecdsa-sha2-nistp256', strings: 2 },
  'ecdsa-sha2-nistp384-cert-v01@openssh.com': { type: 'ecdsa-sha2-nistp384', strings: 2 },
  'ecdsa-sha2-nistp521-cert-v01@openssh.com': { type: 'ecdsa-sha2-nistp521', strings: 2 },
  'sk-ssh-ed25519-cert-v01@openssh.com': { type: 'sk-ssh-ed25519@openssh.com', strings: 2 },
  'sk-ecdsa-sha2-nistp256-cert-v01@openssh.com': { type: 'sk-ecdsa-sha2-nistp256@openssh.com', strings: 3 },
})

/** Number of the kind for people; the other one is for hosts. */
const forPeople = 1

/** Larger than any certificate that is meant, in bytes: OpenSSH writes at most 256 principals of usual length. */
const maxCertificateBytes = 64 * 1024

/**
 * Reads a certificate for a person that its authority did sign; undefined for everything else, such as a bare key. Whether
 * the authority is trusted, and whether it is good now and here, is not looked at.
 */
export function readCertificate(blob: Buffer): SshCertificate | undefined {
  if (blob.length > maxCertificateBytes) return undefined
  try {
    return takeApart(blob)
  } catch {
    // What cannot be parsed is no certificate; there is nobody else to tell.
    return undefined
  }
}

function takeApart(blob: Buffer): SshCertificate | undefined {
  const fields = reader(blob)
  const form = forms[fields.next().toString('latin1')]
  if (form === undefined) return undefined
  // A number that keeps two certificates of one content apart.
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

/** Names and values; undefined when a name is there twice. A value is a string inside of its string, or nothing. */
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
