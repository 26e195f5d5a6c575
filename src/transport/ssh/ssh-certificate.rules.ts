import { BlockList, isIP } from 'node:net'
import { fingerprintOf } from '../../secrets/ssh-public-key.ts'
import type { SshCertificate } from '../../secrets/ssh-certificate.ts'
import type { Unix } from '../../lib/time.ts'

/** When and from where a client presents a certificate. */
export interface Arrival {
  readonly trusted: ReadonlySet<string>
  readonly address: string
  readonly nowUnix: Unix
}

/**
 * Why a certificate is refused; undefined when it is valid. Unknown critical options refuse. Source: OpenSSH,
 * PROTOCOL.certkeys.
 */
export function certificateProblem(certificate: SshCertificate, arrival: Arrival): string | undefined {
  if (!arrival.trusted.has(fingerprintOf(certificate.authority))) return 'its authority is not trusted'
  if (certificate.principals.length === 0) return 'it has no principals'
  if (arrival.nowUnix < certificate.validFromUnix) return 'it is not valid yet'
  if (arrival.nowUnix >= certificate.validUntilUnix) return 'it has expired'
  for (const [name, value] of certificate.criticalOptions) {
    if (name === forcedCommandOption) continue
    if (name !== 'source-address') return `its critical option ${JSON.stringify(name.slice(0, 100))} is not supported`
    if (!isWithin(value, arrival.address)) return 'its source-address does not include the client'
  }
  return undefined
}

const forcedCommandOption = 'force-command'

/** The command that replaces any other. */
export const forcedCommand = ({ criticalOptions }: SshCertificate): string | undefined =>
  criticalOptions.get(forcedCommandOption)

/** Whether a list such as `10.0.0.0/8,::1` contains an address; a malformed list contains none. */
function isWithin(list: string, address: string): boolean {
  const ranges = new BlockList()
  for (const entry of list.split(',')) {
    const [start = '', bits, ...more] = entry.trim().split('/')
    const version = isIP(start)
    const widest = version === 4 ? 32 : 128
    if (version === 0 || more.length > 0 || (bits !== undefined && !/^\d{1,3}$/.test(bits))) return false
    const length = bits === undefined ? widest : Number(bits)
    if (length > widest) return false
    ranges.addSubnet(start, length, version === 4 ? 'ipv4' : 'ipv6')
  }
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '')
  return isIP(plain) !== 0 && ranges.check(plain, isIP(plain) === 4 ? 'ipv4' : 'ipv6')
}

/** The principals that may name an account by `SSH_AUTHORIZED_PRINCIPALS_ALLOW`. */
export function usablePrincipals({ principals }: SshCertificate, allowed: readonly string[]): readonly string[] {
  if (allowed.includes('off')) return []
  const isAny = allowed.includes('anything')
  // oxlint-disable-next-line no-control-regex -- no name or address holds any, and the database takes no zero byte
  const fit = principals.filter((principal) => principal !== '' && !/[\u0000-\u001f]/.test(principal))
  return fit.filter((principal) => isAny || allowed.includes(principal.includes('@') ? 'email' : 'username'))
}
