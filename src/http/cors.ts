import type { IncomingMessage, ServerResponse } from 'node:http'

/** `[cors]` of the configuration. */
export interface CorsOptions {
  /** Allowed origins; `*` for all. A leading `*.` covers subdomains. */
  readonly allowDomains: readonly string[]
  readonly methods: readonly string[]
  readonly headers: readonly string[]
  readonly allowCredentials: boolean
  readonly maxAgeSeconds: number
}

/** Every origin may read the replies, without credentials: for addresses meant for other sites. */
export const anyOrigin: CorsOptions = {
  allowDomains: ['*'],
  methods: ['GET', 'POST'],
  headers: [],
  allowCredentials: false,
  maxAgeSeconds: 600,
}

/** Adds the headers that let an allowed origin read the reply. */
export function allowOrigin(
  options: CorsOptions | undefined,
  request: IncomingMessage,
  headers: Record<string, string>,
): void {
  if (!options) return
  headers['vary'] = 'Origin'
  const { origin } = request.headers
  if (origin === undefined || !isAllowed(options, origin)) return
  headers['access-control-allow-origin'] = origin
  if (options.allowCredentials) headers['access-control-allow-credentials'] = 'true'
}

/**
 * Answers a browser's question whether it may send a request. The answer is 200 in any case, whether or not the address
 * has that method; only the headers say that the request may be sent (observed).
 * @returns false when this is no such question: the request is then answered as any other
 */
export function preflight(
  options: CorsOptions | undefined,
  request: IncomingMessage,
  response: ServerResponse,
): boolean {
  const { origin } = request.headers
  const method = request.headers['access-control-request-method']?.toUpperCase()
  if (!options || origin === undefined || method === undefined) return false
  const headers: Record<string, string> = { 'content-length': '0' }
  allowOrigin(options, request, headers)
  if (isAllowed(options, origin) && options.methods.includes(method)) {
    headers['access-control-allow-methods'] = method
    headers['access-control-allow-headers'] = [...options.headers, 'Authorization', 'Content-Type'].join(', ')
    headers['access-control-max-age'] = String(options.maxAgeSeconds)
  }
  response.writeHead(200, headers).end()
  return true
}

function isAllowed(options: CorsOptions, origin: string): boolean {
  const { host, hostname } = URL.canParse(origin) ? new URL(origin) : { host: '', hostname: '' }
  return options.allowDomains.some(
    (domain) =>
      domain === '*' ||
      domain === origin ||
      domain === host ||
      domain === hostname ||
      (domain.startsWith('*.') && hostname.endsWith(domain.slice(1))),
  )
}
