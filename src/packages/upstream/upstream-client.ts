import { LRUCache } from 'lru-cache'
import { ownService } from '../../access/own-service.ts'
import { program } from '../../lib/program.ts'
import { createHostRules } from '../../outgoing/host-rules.ts'
import { lazyOutgoing } from '../../outgoing/lazy-outgoing.ts'

/** Most requests to upstreams at once; ten times as many wait. */
const maxConnections = 16
/** Largest document of an upstream, in bytes: it is read whole. */
export const maxDocumentBytes = 16 << 20
/** Longest wait for a document and for a file, in milliseconds. */
export const documentTimeoutMs = 30_000
export const fileTimeoutMs = 10 * 60_000

/** Most names that are known to be missing, and for how long, in milliseconds. */
const maxMissing = 10_000
const missingMs = 60_000

/** The client for upstreams; it goes only where `[packages].UPSTREAM_ALLOWED_HOST_LIST` lets it. */
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

/** What is being fetched from upstreams, and what is known to be missing there. */
export const upstreamWork = ownService('the work for upstreams of packages', {
  open: () => ({
    underWay: new Map<string, Promise<unknown>>(),
    missing: new LRUCache<string, true>({ max: maxMissing, ttl: missingMs }),
  }),
})
