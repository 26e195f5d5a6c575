import type { CustomFetch } from 'openid-client'
import type { Services } from '../../access/context.ts'
import { program } from '../../lib/program.ts'
import { createHostRules } from '../../outgoing/host-rules.ts'
import { lazyOutgoing } from '../../outgoing/lazy-outgoing.ts'
import type { Outgoing } from '../../outgoing/outgoing.ts'

/** Largest document and largest picture of a provider, in bytes. */
const maxDocumentBytes = 1 << 20
/** Timeout of a request to a provider, in milliseconds. */
const timeoutMs = 10_000

/**
 * Runs `use` with a client for one provider. The configured host is allowed anywhere; other hosts in its documents need
 * `[ingot].SIGN_IN_ALLOWED_HOST_LIST`.
 */
export async function withProviderClient<Result>(
  { config }: Pick<Services, 'config'>,
  discoveryUrl: string,
  work: (client: Outgoing) => Promise<Result>,
): Promise<Result> {
  const host = new URL(discoveryUrl).hostname.replace(/^\[(.*)\]$/, '$1')
  const client = lazyOutgoing({
    rules: createHostRules({ allowed: [...config.ingot.signInAllowedHostList, host] }),
    timeoutMs,
    maxBodyBytes: maxDocumentBytes,
    maxConnections: 4,
    userAgent: `${program.name}/${program.version}`,
  })
  try {
    return await work(client)
  } finally {
    await client.close()
  }
}

/** Adapts the client to the library. Redirects are not followed. */
export const fetchBy =
  (client: Outgoing): CustomFetch =>
  async (url, { method, headers, body, signal }) => {
    const text = body instanceof URLSearchParams ? body.toString() : (body ?? undefined)
    if (text !== undefined && typeof text !== 'string') throw new Error('only text is sent')
    const reply = await client.request(url, {
      method: method === 'POST' ? 'POST' : 'GET',
      headers,
      ...(text === undefined ? {} : { body: text }),
      ...(signal ? { signal } : {}),
    })
    const sent = Object.entries(reply.headers).flatMap(([name, value]) =>
      (Array.isArray(value) ? value : [value ?? '']).map((each): [string, string] => [name, each]),
    )
    const isEmpty = [101, 204, 205, 304].includes(reply.status)
    return new Response(isEmpty ? null : new Uint8Array(reply.body), { status: reply.status, headers: sent })
  }
