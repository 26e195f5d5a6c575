import type { Configuration, ServerMetadata } from 'openid-client'
import type { Services } from '../../access/context.ts'
import { ownService } from '../../access/own-service.ts'
import { cacheOf } from '../../lib/cache.ts'
import { nowUnix } from '../../lib/time.ts'
import type { UserId } from '../../lib/ids.ts'
import type { Outgoing } from '../../outgoing/outgoing.ts'
import { callbackOf, type OpenIdSettings, type TestStep } from '../source.rules.ts'
import { secretOf, type Source } from '../source.service.ts'
import { fetchBy, withProviderClient } from './provider-client.ts'

/** An unusable answer of a provider. The message is for administrators. */
export class ProviderError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'ProviderError'
  }
}

/** Loaded at first use, because many instances have no providers. */
const loadLibrary = () => import('openid-client')

/** How long a discovery document is used, in milliseconds. Keys are fetched at each sign-in. */
const descriptionMs = 5 * 60_000

/** Discovery documents by source and settings. */
export const providers = ownService('the providers of identities', {
  open: () => ({ descriptions: cacheOf<string, ServerMetadata>(100, { ttl: descriptionMs }) }),
})

/** Verified claims of a person. */
export interface Claims {
  readonly sub: string
  readonly [name: string]: unknown
}

/** The sealed state of a sign-in in the browser. */
export interface Begun {
  readonly sourceId: number
  readonly state: string
  readonly nonce: string
  readonly verifier: string
  readonly redirectTo: string
  readonly remember: boolean
  /** Account to link the identity to; 0 for a sign-in. */
  readonly linkTo: number
  readonly untilUnix: number
}

/** How long a person may stay at the provider, in seconds. */
export const begunSeconds = 900
const begunPurpose = 'source-sign-in'

/** Returns the expected issuer: the address without its well-known part. */
const issuerOf = (discoveryUrl: string): string =>
  discoveryUrl.replace(/\/\.well-known\/(?:openid-configuration|oauth-authorization-server)\/?$/, '')

/** Converts every error of the work into a ProviderError. */
async function asking<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof ProviderError) throw error
    // The cause contains the library's reason, sometimes with the answer, which is not logged.
    const cause = Error.isError(error) && Error.isError(error.cause) ? `: ${error.cause.message}` : ''
    throw new ProviderError(`${Error.isError(error) ? error.message : 'no answer'}${cause}`, { cause: error })
  }
}

/** Returns the discovery document of a provider, cached. */
async function configurationOf(services: Services, source: Source<'openid'>, client: Outgoing): Promise<Configuration> {
  const library = await loadLibrary()
  const { settings } = source
  const { descriptions } = providers.of(services)
  const key = `${source.id} ${source.row.updated_unix} ${settings.discovery_url}`
  const isPlain = settings.discovery_url.startsWith('http:')
  let description = descriptions.get(key)
  if (!description) {
    const found = await library.discovery(
      new URL(issuerOf(settings.discovery_url)),
      settings.client_id,
      undefined,
      undefined,
      {
        [library.customFetch]: fetchBy(client),
        // Plain HTTP only when the administrator configured it.
        ...(isPlain ? { execute: [library.allowInsecureRequests] } : {}),
      },
    )
    description = found.serverMetadata()
    descriptions.set(key, description)
  }
  const secret = secretOf(services, source)
  const methods = description.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
  const authentication =
    secret === ''
      ? library.None()
      : methods.includes('client_secret_basic')
        ? library.ClientSecretBasic(secret)
        : library.ClientSecretPost(secret)
  // A new configuration each time, because the library caches keys with it.
  const configuration = new library.Configuration({ ...description }, settings.client_id, undefined, authentication)
  configuration[library.customFetch] = fetchBy(client)
  if (isPlain) library.allowInsecureRequests(configuration)
  // Verified even when the token came over TLS from the provider itself.
  library.enableNonRepudiationChecks(configuration)
  return configuration
}

const scopesOf = ({ config }: Services, settings: OpenIdSettings): string =>
  [...new Set(['openid', ...settings.scopes, ...config.oauth2Client.openidConnectScopes])].join(' ')

/** Returns the address of the provider and the state for the browser. @throws ProviderError */
export async function beginAt(
  services: Services,
  source: Source<'openid'>,
  how: {
    readonly redirectTo: string
    readonly remember: boolean
    readonly linkTo?: UserId
    /** The provider should ask for credentials although it knows the person. */
    readonly asksAgain?: boolean
  },
): Promise<{ readonly url: string; readonly kept: string }> {
  const library = await loadLibrary()
  const begun: Begun = {
    sourceId: source.id,
    state: library.randomState(),
    nonce: library.randomNonce(),
    verifier: library.randomPKCECodeVerifier(),
    redirectTo: how.redirectTo,
    remember: how.remember,
    linkTo: how.linkTo ?? 0,
    untilUnix: nowUnix(services.clock) + begunSeconds,
  }
  const challenge = await library.calculatePKCECodeChallenge(begun.verifier)
  const url = await asking(() =>
    withProviderClient(services, source.settings.discovery_url, async (client) =>
      library.buildAuthorizationUrl(await configurationOf(services, source, client), {
        redirect_uri: callbackOf(services.config.server.rootUrl, source.name),
        scope: scopesOf(services, source.settings),
        state: begun.state,
        nonce: begun.nonce,
        code_challenge: challenge,
        code_challenge_method: 'S256',
        ...(how.asksAgain ? { prompt: 'login' } : {}),
      }),
    ),
  )
  return { url: url.href, kept: services.secrets.seal(begunPurpose, JSON.stringify(begun)) }
}

/** Returns the state of a sign-in at this source; undefined when it is invalid or expired. */
export function begunAt({ secrets, clock }: Services, source: Source, kept: string): Begun | undefined {
  try {
    const begun = JSON.parse(secrets.open(begunPurpose, kept)) as Begun
    return begun.sourceId === source.id && begun.untilUnix > nowUnix(clock) ? begun : undefined
  } catch {
    // A cookie that was not sealed here.
    return undefined
  }
}

/**
 * Returns the claims of a person who returned from the provider, after checks of state, code, issuer, audience, times,
 * nonce and signature.
 * @param query as sent by the browser
 * @throws ProviderError when a check fails
 */
export async function identityOf(
  services: Services,
  source: Source<'openid'>,
  begun: Begun,
  query: URLSearchParams,
): Promise<Claims> {
  const library = await loadLibrary()
  const callback = new URL(`${callbackOf(services.config.server.rootUrl, source.name)}?${query}`)
  return asking(() =>
    withProviderClient(services, source.settings.discovery_url, async (client) => {
      const configuration = await configurationOf(services, source, client)
      const tokens = await library.authorizationCodeGrant(configuration, callback, {
        expectedState: begun.state,
        expectedNonce: begun.nonce,
        pkceCodeVerifier: begun.verifier,
        idTokenExpected: true,
      })
      const claims = tokens.claims()
      if (!claims || claims.sub === '' || claims.sub.length > 255) throw new ProviderError('the token has no subject')
      const more =
        configuration.serverMetadata().userinfo_endpoint === undefined
          ? {}
          : await library.fetchUserInfo(configuration, tokens.access_token, claims.sub)
      return { ...more, ...claims }
    }),
  )
}

/** Returns a provider's picture in base64; undefined when it is unavailable. */
export async function pictureAt(
  services: Services,
  source: Source<'openid'>,
  url: string,
): Promise<string | undefined> {
  try {
    return await withProviderClient(services, source.settings.discovery_url, async (client) => {
      const { status, body } = await client.request(url, { maxRedirects: 3 })
      return status === 200 ? body.toString('base64') : undefined
    })
  } catch (error) {
    services.log('info', 'the picture of a person could not be fetched', {
      source: source.name,
      reason: Error.isError(error) ? error.message : '',
    })
    return undefined
  }
}

/** Tests a provider: performs the requests of a sign-in without a person. */
export async function testProvider(services: Services, source: Source<'openid'>): Promise<TestStep[]> {
  const what = 'read the description and the keys'
  try {
    return await asking(() =>
      withProviderClient(services, source.settings.discovery_url, async (client) => {
        const { issuer, jwks_uri: keysUri = '' } = (await configurationOf(services, source, client)).serverMetadata()
        const { status, body } = await client.request(keysUri)
        const keys = status === 200 ? (JSON.parse(body.toString('utf8')) as { keys?: unknown }).keys : undefined
        if (!Array.isArray(keys) || keys.length === 0) throw new ProviderError('the provider publishes no keys')
        return [{ ok: true, what, found: `${issuer}, ${keys.length} keys` }]
      }),
    )
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error
    return [{ ok: false, what, found: error.message }]
  }
}
