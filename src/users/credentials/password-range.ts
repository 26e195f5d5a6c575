import { ownService } from '../../access/own-service.ts'
import { program } from '../../lib/program.ts'
import { createHostRules } from '../../outgoing/host-rules.ts'
import { lazyOutgoing } from '../../outgoing/lazy-outgoing.ts'

/** Timeout in milliseconds; a person waits for the answer. */
const timeoutMs = 5000
/** Largest answer in bytes; answers have about 40 KB, with padding twice that. */
const maxAnswerBytes = 1 << 20
/** Largest number of concurrent lookups; ten times as many may wait. */
const maxConnections = 8

/** The client for lists of leaked passwords. It connects only to the host of `[ingot].PASSWORD_RANGE_URL`. */
export const passwordRanges = ownService('the client for leaked passwords', {
  open: ({ config }) =>
    lazyOutgoing({
      rules: createHostRules({ allowed: [new URL(config.ingot.passwordRangeUrl).hostname] }),
      timeoutMs,
      maxBodyBytes: maxAnswerBytes,
      maxConnections,
      userAgent: `${program.name}/${program.version}`,
    }),
  close: (client) => client.close(),
})
