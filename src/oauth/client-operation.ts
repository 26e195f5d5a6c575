/** What holds for all that applications ask by themselves: no page, no cookie, from everywhere. */
export const ofClients = { base: 'site', family: 'oauth2', scope: null, accepts: ['client'], anyOrigin: true } as const

/** Answers with secrets are kept by nobody (RFC 6749, 5.1). */
export const noStore = { 'cache-control': 'no-store', pragma: 'no-cache' }
