import { ownService } from '../../access/own-service.ts'
import { cacheOf } from '../../lib/cache.ts'
import { program } from '../../lib/program.ts'
import { createHostRules } from '../../outgoing/host-rules.ts'
import { lazyOutgoing } from '../../outgoing/lazy-outgoing.ts'

/** Largest number of concurrent requests to upstreams; ten times as many wait. */
const maxConnections = 16
/** Largest document of an upstream in bytes; it is read into memory. */
export const maxDocumentBytes = 16 << 20
/** Time limits for a document and a file, in milliseconds. */
export const documentTimeoutMs = 30_000
export const fileTimeoutMs = 10 * 60_000

/** Largest number of missing names in the cache, and their lifetime in milliseconds. */
const maxMissing = 10_000
const missingMs = 60_000

/** The client for upstreams, limited to the hosts of `[packages].UPSTREAM_ALLOWED_HOST_LIST`. */
export const upstreamClient = ownService('the client for upstreams of packages', {
  open: ({ config: { packages } }) =>
    lazyOutgoing({
      rules: createHostRules({ allowed: packages.upstreamAllowedHostList }),
      timeoutMs: documentTimeoutMs,
      maxBodyBytes: maxDocumentBytes,
      maxConnections,
      userAgent: `${program.name}/${program.version}`,
    }),
  close: (client) => client.close(),
})

/** Requests to upstreams that are running, and names that upstreams do not have. */
export const upstreamWork = ownService('the work for upstreams of packages', {
  open: () => ({
    underWay: new Map<string, Promise<unknown>>(),
    missing: cacheOf<string, true>(maxMissing, { ttl: missingMs }),
  }),
})
