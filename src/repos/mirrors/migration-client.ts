import { ownService } from '../../access/own-service.ts'
import { migrationHostRules } from '../../outgoing/host-rules.ts'
import { program } from '../../lib/program.ts'
import { lazyOutgoing } from '../../outgoing/lazy-outgoing.ts'

/** The HTTP client for repositories on other servers. It connects only to addresses that `[migrations]` allows. */
export const migrationClient = ownService('the client for migrations', {
  open: ({ config }) =>
    lazyOutgoing({
      rules: migrationHostRules(config.migrations),
      timeoutMs: config.ingot.outgoingTimeout,
      maxBodyBytes: config.ingot.maxOutgoingBody,
      maxConnections: config.ingot.maxOutgoingConnections,
      userAgent: `${program.name}/${program.version}`,
      skipTlsVerify: config.migrations.skipTlsVerify,
    }),
  close: (client) => client.close(),
})
