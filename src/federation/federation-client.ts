import { isIP } from 'node:net'
import { ownService } from '../access/own-service.ts'
import type { Config } from '../config/load-config.ts'
import { program } from '../lib/program.ts'
import { createHostRules, hostNameMatcher } from '../outgoing/host-rules.ts'
import { lazyOutgoing } from '../outgoing/lazy-outgoing.ts'

/** Timeout of a request to another server, in milliseconds (contract). */
const timeoutMs = 5000

/** Most connections to other servers at once. */
const maxConnections = 32

export const bytesPerMiB = 1024 * 1024

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))

/**
 * Returns the addresses that other servers may have: `[federation].ALLOWED_HOST_LIST`, or public ones. An instance that listens
 * only on the loopback network can also reach its peers there.
 */
function allowedHosts({ federation, server }: Config): readonly string[] {
  if (federation.allowedHostList.length > 0) return federation.allowedHostList
  const host = new URL(server.rootUrl).hostname.replace(/^\[(.*)\]$/, '$1')
  return isLoopback(host) && isLoopback(server.httpAddr) ? ['external', 'loopback'] : ['external']
}

/** The HTTP client for other servers; it follows no redirects by default. */
export const federationClient = ownService('the client for other servers', {
  open: ({ config }) =>
    lazyOutgoing({
      rules: createHostRules({ allowed: allowedHosts(config) }),
      timeoutMs,
      maxBodyBytes: config.federation.maxSize * bytesPerMiB,
      maxConnections,
      userAgent: `${program.name}/${program.version} (+${config.server.rootUrl})`,
    }),
  close: (client) => client.close(),
})

/** Returns whether `ALLOWED_SERVERS` and `BLOCKED_SERVERS` permit a server. */
export function isServerAllowed({ federation }: Pick<Config, 'federation'>, host: string): boolean {
  const { allowedServers, blockedServers } = federation
  if (blockedServers.length > 0 && hostNameMatcher(blockedServers)(host)) return false
  return hostNameMatcher(allowedServers)(host)
}
