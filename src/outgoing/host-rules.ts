import ipaddr from 'ipaddr.js'
import { matchesShellPattern } from '../lib/shell-pattern.ts'

/** Decides which hosts and addresses a connection may use. */
export interface HostRules {
  /**
   * Returns whether a connection to this address of a host name is allowed. For a host that is an address, the name is the
   * address.
   */
  allows(host: string, address: string): boolean
}

type AddressClass = 'external' | 'private' | 'loopback' | 'other'

interface Matcher {
  readonly matchesName: (host: string) => boolean
  readonly matchesAddress: (address: ipaddr.IPv4 | ipaddr.IPv6) => boolean
}

/**
 * Parses rules in the form of the family's ALLOWED_HOST_LIST: `external` (public addresses), `private` (RFC 1918 and unique
 * local), `loopback`, `*`, networks such as `10.0.0.0/8`, addresses, and host names with `*` and `?`. A listed name is
 * allowed with any address. An empty list is `external`. Blocked names and addresses take precedence.
 */
export function createHostRules(rules: {
  readonly allowed: readonly string[]
  readonly blocked?: readonly string[]
}): HostRules {
  const allowed = (rules.allowed.length === 0 ? ['external'] : rules.allowed).map(toMatcher)
  const blocked = (rules.blocked ?? []).map(toMatcher)
  return {
    allows: (host, address) => {
      const parsed = parseAddress(address)
      if (parsed === undefined) return false
      const name = host.toLowerCase().replace(/\.$/, '')
      const matches = (matcher: Matcher): boolean => matcher.matchesName(name) || matcher.matchesAddress(parsed)
      return allowed.some(matches) && !blocked.some(matches)
    },
  }
}

/** Returns the rules of [migrations]: listed domains or all public hosts, and local networks only if allowed. */
export const migrationHostRules = (settings: {
  readonly allowedDomains: readonly string[]
  readonly blockedDomains: readonly string[]
  readonly allowLocalnetworks: boolean
}): HostRules =>
  createHostRules({
    allowed: [
      ...(settings.allowedDomains.length === 0 ? ['external'] : settings.allowedDomains),
      ...(settings.allowLocalnetworks ? ['private', 'loopback'] : []),
    ],
    blocked: settings.blockedDomains,
  })

/** Returns whether a list of names with `*` and `?` matches a host name; an empty list matches all. */
export function hostNameMatcher(names: readonly string[]): (host: string) => boolean {
  const patterns = names.map(toMatcher)
  return (host) => patterns.length === 0 || patterns.some((pattern) => pattern.matchesName(host.toLowerCase()))
}

/**
 * Returns the effective address: IPv4 inside IPv6 (mapped, NAT64) counts as IPv4. Other tunnels (6to4, Teredo) belong to no
 * class, so only `*` allows them.
 */
function parseAddress(text: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  // A zone (`fe80::1%eth0`) names the interface; the rules concern the address.
  const bare = text.replace(/%.*$/, '')
  if (!ipaddr.isValid(bare)) return undefined
  const address = ipaddr.parse(bare)
  if (address instanceof ipaddr.IPv4) return address
  if (address.isIPv4MappedAddress()) return address.toIPv4Address()
  if (address.range() !== 'rfc6052') return address
  return new ipaddr.IPv4(address.toByteArray().slice(12))
}

function classOf(address: ipaddr.IPv4 | ipaddr.IPv6): AddressClass {
  const range = address.range()
  if (range === 'unicast') return 'external'
  if (range === 'private' || range === 'uniqueLocal') return 'private'
  return range === 'loopback' ? 'loopback' : 'other'
}

function toMatcher(entry: string): Matcher {
  const text = entry.trim().toLowerCase()
  if (text === '*') return { matchesName: () => true, matchesAddress: () => true }
  if (text === 'external' || text === 'private' || text === 'loopback') {
    return { matchesName: () => false, matchesAddress: (address) => classOf(address) === text }
  }
  const network = parseNetwork(text)
  if (network !== undefined) {
    const [base, bits] = network
    return {
      matchesName: () => false,
      matchesAddress: (address) => address.kind() === base.kind() && address.match(base, bits),
    }
  }
  return { matchesName: (host) => matchesShellPattern(text, host), matchesAddress: () => false }
}

function parseNetwork(text: string): [ipaddr.IPv4 | ipaddr.IPv6, number] | undefined {
  const bare = text.replace(/^\[(.*)\]$/, '$1')
  if (ipaddr.isValidCIDR(bare)) return ipaddr.parseCIDR(bare)
  if (!ipaddr.IPv6.isValid(bare) && !ipaddr.IPv4.isValidFourPartDecimal(bare)) return undefined
  const address = parseAddress(bare)
  return address === undefined ? undefined : [address, address.kind() === 'ipv4' ? 32 : 128]
}
