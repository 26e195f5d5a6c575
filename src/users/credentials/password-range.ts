import { ownService } from '../../access/own-service.ts'
import { program } from '../../lib/program.ts'
import { createHostRules } from '../../outgoing/host-rules.ts'
import { lazyOutgoing } from '../../outgoing/lazy-outgoing.ts'

/** Somebody waits for the answer, in milliseconds. */
const timeoutMs = 5000
/** Largest answer, in bytes; they are about 40 KB, and padded ones twice that. */
const maxAnswerBytes = 1 << 20
/** Most look-ups at once; ten times as many wait. */
const maxConnections = 8

/** The client for the list of leaked passwords; it goes to the host of `[ingot].PASSWORD_RANGE_URL` alone. */
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
