/** Properties of the operations that applications call directly: no cookies, and requests of any origin. */
export const ofClients = { base: 'site', family: 'oauth2', scope: null, accepts: ['client'], anyOrigin: true } as const

/** Replies with secrets must not be cached (RFC 6749, 5.1). */
export const noStore = { 'cache-control': 'no-store', pragma: 'no-cache' }
