import { isIP } from 'node:net'
import { ownService } from '../access/own-service.ts'
import type { Config } from '../config/load-config.ts'
import { program } from '../lib/program.ts'
import { createHostRules, hostNameMatcher } from '../outgoing/host-rules.ts'
import { lazyOutgoing } from '../outgoing/lazy-outgoing.ts'

/** Longest request to another server, in milliseconds (contract). */
const timeoutMs = 5000

/** Most connections to other servers at once; ten times as many may wait. */
const maxConnections = 32

export const bytesPerMiB = 1024 * 1024

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))

/**
 * Where other servers may be: `[federation].ALLOWED_HOST_LIST`, or public addresses. An instance that listens on the loopback
 * network alone, and is known by such an address, has its neighbours there: nobody else could talk to it.
 */
function allowedHosts({ federation, server }: Config): readonly string[] {
  if (federation.allowedHostList.length > 0) return federation.allowedHostList
  const host = new URL(server.rootUrl).hostname.replace(/^\[(.*)\]$/, '$1')
  return isLoopback(host) && isLoopback(server.httpAddr) ? ['external', 'loopback'] : ['external']
}

/** The client for other servers of the federation; it follows no redirects unless told. */
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

/** Whether this instance deals with a server, by `ALLOWED_SERVERS` and `BLOCKED_SERVERS`. */
export function isServerAllowed({ federation }: Pick<Config, 'federation'>, host: string): boolean {
  const { allowedServers, blockedServers } = federation
  if (blockedServers.length > 0 && hostNameMatcher(blockedServers)(host)) return false
  return hostNameMatcher(allowedServers)(host)
}
