import { ownService } from '../../access/own-service.ts'
import { createHostRules, hostNameMatcher } from '../../outgoing/host-rules.ts'
import { lazyOutgoing } from '../../outgoing/lazy-outgoing.ts'
import { program } from '../../lib/program.ts'

/** Most bytes of an answer that are read and recorded. */
export const maxAnswerBytes = 16_384

/** The HTTP client for receivers; it connects only to hosts of `[webhook].ALLOWED_HOST_LIST`. */
export const webhookClient = ownService('the client for webhooks', {
  open: ({ config: { ingot, webhook } }) =>
    lazyOutgoing({
      rules: createHostRules({ allowed: webhook.allowedHostList }),
      timeoutMs: webhook.deliverTimeout * 1000,
      maxBodyBytes: maxAnswerBytes,
      maxConnections: Math.max(1, ingot.jobWorkersWebhooks + ingot.jobWorkersWebhookRetries),
      skipTlsVerify: webhook.skipTlsVerify,
      ...(webhook.proxyUrl === ''
        ? {}
        : { proxy: { url: webhook.proxyUrl, usesFor: hostNameMatcher(webhook.proxyHosts) } }),
      userAgent: `${program.name}/${program.version}`,
    }),
  close: (client) => client.close(),
})
