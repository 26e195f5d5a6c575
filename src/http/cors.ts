import type { IncomingMessage, ServerResponse } from 'node:http'

/** `[cors]` of the configuration. */
export interface CorsOptions {
  /** Origins that may read answers; `*` for all. A leading `*.` covers the subdomains. */
  readonly allowDomains: readonly string[]
  readonly methods: readonly string[]
  readonly headers: readonly string[]
  readonly allowCredentials: boolean
  readonly maxAgeSeconds: number
}

/** Adds the headers that let a page of a listed origin read the answer. */
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
 * Answers a browser's question whether it may send a request.
 * @returns false when this is no such question, or its origin is not listed: the request is then answered as any other
 */
export function preflight(
  options: CorsOptions | undefined,
  request: IncomingMessage,
  response: ServerResponse,
  allowed: readonly string[],
): boolean {
  const { origin } = request.headers
  const method = request.headers['access-control-request-method']
  if (!options || origin === undefined || method === undefined || !isAllowed(options, origin)) return false
  if (!allowed.includes(method.toUpperCase()) || !options.methods.includes(method.toUpperCase())) return false
  const headers: Record<string, string> = {
    'access-control-allow-methods': method.toUpperCase(),
    'access-control-allow-headers': [...options.headers, 'Authorization', 'Content-Type'].join(', '),
    'access-control-max-age': String(options.maxAgeSeconds),
    'content-length': '0',
  }
  allowOrigin(options, request, headers)
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
