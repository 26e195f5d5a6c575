import type { AuthServices } from '../../auth/auth-services.ts'
import type { CredentialReader, Identity } from '../../auth/credentials.ts'
import { viewerOf } from '../../auth/viewer.ts'
import type { Call } from '../../http/operation.ts'
import { isFromHere } from '../../http/own-origin.ts'
import { AccountRefused, Unauthenticated } from '../../lib/errors.ts'
import { readProxyHeaders, type ProxyIdentity } from './proxy-headers.rules.ts'

/** Returns a header of the proxy; undefined when absent or empty. */
function headerOf({ headers }: Call, name: string): string | undefined {
  const value = headers[name.toLowerCase()]
  return value === undefined || value === '' ? undefined : String(value)
}

/** Returns what a trusted proxy says about the caller. @throws Unauthenticated for invalid headers */
function identityIn({ config }: AuthServices, call: Call): ProxyIdentity | undefined {
  const { service, security } = config
  if (!service.enableReverseProxyAuthentication || !call.isFromProxy) return undefined
  const name = headerOf(call, security.reverseProxyAuthenticationUser)
  const email = service.enableReverseProxyEmail ? headerOf(call, security.reverseProxyAuthenticationEmail) : undefined
  if (name === undefined && email === undefined) return undefined
  const fullName = service.enableReverseProxyFullName
    ? headerOf(call, security.reverseProxyAuthenticationFullName)
    : undefined
  const headers = readProxyHeaders({ name, email, fullName })
  if (typeof headers !== 'string') return headers
  throw new Unauthenticated(`the ${headers} from the reverse proxy is invalid or repeated`, 'proxied_malformed')
}

async function identityOf(services: AuthServices, call: Call): Promise<Identity | undefined> {
  const headers = identityIn(services, call)
  const user = headers && (await services.accountOfProxy(headers))
  return user && { viewer: viewerOf(user, { kind: 'proxy' }) }
}

/** On pages the proxy's person counts, never a session, which another person may have left in the browser. */
export const proxiedInBrowser: CredentialReader = {
  kind: 'session',
  async read(services, call) {
    const found = await identityOf(services, call)
    const { user } = found?.viewer ?? {}
    if (user && (user.prohibit_login || !user.is_active)) {
      throw new AccountRefused('this account may not sign in', 'account_barred')
    }
    return found
  },
}

/**
 * In the API and git the header counts with `[service].ENABLE_REVERSE_PROXY_AUTHENTICATION_API`, for requests without
 * other credentials. Requests that other sites cause are a guest's, because browsers send the proxy's cookies with
 * them.
 */
export const proxiedPrograms: CredentialReader = {
  kind: 'basic',
  read(services, call, presented) {
    const { service, server } = services.config
    if (!service.enableReverseProxyAuthenticationApi || presented.kind !== 'none') return undefined
    return isFromHere(server.rootUrl, call) ? identityOf(services, call) : undefined
  },
}
