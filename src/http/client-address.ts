import type { IncomingMessage } from 'node:http'
import { BlockList, isIP } from 'node:net'

/** Address of clients of a Unix socket. */
const localAddress = '127.0.0.1'

/** Size of the cache of trust decisions. */
const maxKnown = 1000

/**
 * Determines the client address of requests. It is the address of the connection or, behind a trusted proxy, the last
 * untrusted address in `X-Forwarded-For`.
 */
export interface ClientAddresses {
  of(request: IncomingMessage): string
  /**
   * Returns whether a trusted proxy sent the request; false for a closed connection, which has no address.
   * @param isLocal whether the server listens on a Unix socket, whose clients have no address
   */
  isFromProxy(request: IncomingMessage, isLocal: boolean): boolean
  /** Returns whether an address belongs to a trusted proxy. */
  isTrusted(address: string): boolean
}

/** Returns the addresses and networks of trusted proxies by the settings; empty for none. */
export function trustedProxiesOf(settings: {
  readonly reverseProxyLimit: number
  readonly reverseProxyTrustedProxies: readonly string[]
}): readonly string[] {
  const { reverseProxyLimit, reverseProxyTrustedProxies: proxies } = settings
  if (reverseProxyLimit === 0) return []
  return proxies.includes('*') ? ['0.0.0.0/0', '::/0'] : proxies
}

/**
 * Returns the client addresses for a list of trusted proxies.
 * @param trusted addresses and networks (`10.0.0.0/8`). Unless the list is empty, clients of a Unix socket are trusted too.
 */
export function clientAddresses(trusted: readonly string[]): ClientAddresses {
  if (trusted.length === 0) {
    return {
      of: (request) => request.socket.remoteAddress ?? localAddress,
      isFromProxy: () => false,
      isTrusted: (address) => address === '',
    }
  }
  const networks = networksOf(trusted)
  const known = new Map<string, boolean>()
  // A Unix socket has no address: its clients are on this machine, most likely a proxy.
  const isTrusted = (address: string): boolean => {
    let verdict = known.get(address)
    if (verdict === undefined) {
      const family = isIP(address)
      verdict = address === '' || (family !== 0 && networks.check(address, family === 4 ? 'ipv4' : 'ipv6'))
      if (known.size >= maxKnown) known.clear()
      known.set(address, verdict)
    }
    return verdict
  }
  return {
    isTrusted,
    isFromProxy({ socket: { remoteAddress } }, isLocal) {
      return isLocal ? remoteAddress === undefined : remoteAddress !== undefined && isTrusted(remoteAddress)
    },
    of(request) {
      const { remoteAddress } = request.socket
      const peer = remoteAddress ?? localAddress
      if (remoteAddress !== undefined && !isTrusted(peer)) return peer
      const named = String(request.headers['x-forwarded-for'] ?? '')
        .split(',')
        .map((part) => part.trim())
        .filter((part) => part !== '')
      return named.findLast((address) => !isTrusted(address)) ?? named[0] ?? peer
    },
  }
}

/** Returns the share of a guest: the address, or the network of one customer for IPv6. */
export function shareOfAddress(ip: string): string {
  if (isIP(ip) !== 6) return ip
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip)
  if (mapped) return mapped[1] as string
  const [before = '', after] = (ip.split('%', 1)[0] as string).split('::')
  const left = before === '' ? [] : before.split(':')
  const right = after === undefined || after === '' ? [] : after.split(':')
  const zeros = after === undefined ? 0 : 8 - left.length - right.length
  const groups = [...left, ...Array.from({ length: Math.max(0, zeros) }, () => '0'), ...right]
  return `${groups
    .slice(0, 4)
    .map((group) => group.toLowerCase().replace(/^0+(?=.)/, ''))
    .join(':')}::/64`
}

function networksOf(texts: readonly string[]): BlockList {
  const networks = new BlockList()
  for (const text of texts) {
    const [address = '', prefix, ...more] = text.split('/')
    const family = isIP(address)
    const bits = prefix === undefined ? undefined : /^\d{1,3}$/.test(prefix) ? Number(prefix) : Number.NaN
    const isNetwork = bits === undefined || bits <= (family === 4 ? 32 : 128)
    if (family === 0 || more.length > 0 || !isNetwork) {
      throw new Error(`the trusted proxy ${text} is neither an address nor a network like 10.0.0.0/8`)
    }
    const kind = family === 4 ? 'ipv4' : 'ipv6'
    if (bits === undefined) networks.addAddress(address, kind)
    else networks.addSubnet(address, bits, kind)
  }
  return networks
}
