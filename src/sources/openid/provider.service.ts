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

/** Why a provider's answer does not count. The message is for administrators. */
export class ProviderError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'ProviderError'
  }
}

/** The library is loaded when somebody signs in elsewhere, which on many instances nobody does. */
const loadLibrary = () => import('openid-client')

/** How long a provider's description is used, in milliseconds. Its keys are asked for at each sign-in. */
const descriptionMs = 5 * 60_000

/** Descriptions of providers, by their sources as they are set. */
export const providers = ownService('the providers of identities', {
  open: () => ({ descriptions: cacheOf<string, ServerMetadata>(100, { ttl: descriptionMs }) }),
})

/** What a provider says of somebody, checked. */
export interface Claims {
  readonly sub: string
  readonly [name: string]: unknown
}

/** What a browser keeps while somebody is at the provider. */
export interface Begun {
  readonly sourceId: number
  readonly state: string
  readonly nonce: string
  readonly verifier: string
  readonly redirectTo: string
  readonly remember: boolean
  /** Whom the identity is to be linked to; 0 to sign in. */
  readonly linkTo: number
  readonly untilUnix: number
}

/** How long somebody may take at the provider, in seconds. */
export const begunSeconds = 900
const begunPurpose = 'source-sign-in'

/** The issuer that a description has to be of: the address without the well-known part. */
const issuerOf = (discoveryUrl: string): string =>
  discoveryUrl.replace(/\/\.well-known\/(?:openid-configuration|oauth-authorization-server)\/?$/, '')

/** Runs what asks the provider; whatever is wrong with its answers is a ProviderError. */
async function asking<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof ProviderError) throw error
    // The library says what was wrong in the cause, sometimes with the answer: that is for nobody.
    const cause = Error.isError(error) && Error.isError(error.cause) ? `: ${error.cause.message}` : ''
    throw new ProviderError(`${Error.isError(error) ? error.message : 'no answer'}${cause}`, { cause: error })
  }
}

/** Asks a provider what it offers, or remembers it. */
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
        // Without TLS only where the administrator wrote so.
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
  // A new one each time: the library keeps keys with it, and those of now are wanted.
  const configuration = new library.Configuration({ ...description }, settings.client_id, undefined, authentication)
  configuration[library.customFetch] = fetchBy(client)
  if (isPlain) library.allowInsecureRequests(configuration)
  // Also where the token came over TLS from the provider itself.
  library.enableNonRepudiationChecks(configuration)
  return configuration
}

const scopesOf = ({ config }: Services, settings: OpenIdSettings): string =>
  [...new Set(['openid', ...settings.scopes, ...config.oauth2Client.openidConnectScopes])].join(' ')

/** Where somebody is sent to sign in, and what their browser keeps meanwhile. @throws ProviderError */
export async function beginAt(
  services: Services,
  source: Source<'openid'>,
  how: { readonly redirectTo: string; readonly remember: boolean; readonly linkTo?: UserId },
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
      }),
    ),
  )
  return { url: url.href, kept: services.secrets.seal(begunPurpose, JSON.stringify(begun)) }
}

/** What a browser kept of a sign-in at this source; undefined for anything else, and when it took too long. */
export function begunAt({ secrets, clock }: Services, source: Source, kept: string): Begun | undefined {
  try {
    const begun = JSON.parse(secrets.open(begunPurpose, kept)) as Begun
    return begun.sourceId === source.id && begun.untilUnix > nowUnix(clock) ? begun : undefined
  } catch {
    // Not sealed here: nobody is at a provider.
    return undefined
  }
}

/**
 * Who came back from the provider: state, code, issuer, audience, times, nonce and signature are checked.
 * @param query as the browser brought it
 * @throws ProviderError when anything of it is not right
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
      if (!claims || claims.sub === '' || claims.sub.length > 255) throw new ProviderError('the token names nobody')
      const more =
        configuration.serverMetadata().userinfo_endpoint === undefined
          ? {}
          : await library.fetchUserInfo(configuration, tokens.access_token, claims.sub)
      return { ...more, ...claims }
    }),
  )
}

/** The picture that a provider names, in base64; undefined when it cannot be had. */
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
    services.log('info', 'the picture of somebody could not be had', {
      source: source.name,
      reason: Error.isError(error) ? error.message : '',
    })
    return undefined
  }
}

/** Asks a provider what a sign-in would ask, but for the person. */
export async function testProvider(services: Services, source: Source<'openid'>): Promise<TestStep[]> {
  const what = 'read the description and the keys'
  try {
    return await asking(() =>
      withProviderClient(services, source.settings.discovery_url, async (client) => {
        const { issuer, jwks_uri: keysUri = '' } = (await configurationOf(services, source, client)).serverMetadata()
        const { status, body } = await client.request(keysUri)
        const keys = status === 200 ? (JSON.parse(body.toString('utf8')) as { keys?: unknown }).keys : undefined
        if (!Array.isArray(keys) || keys.length === 0) throw new ProviderError('the provider shows no keys')
        return [{ ok: true, what, found: `${issuer}, ${keys.length} keys` }]
      }),
    )
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error
    return [{ ok: false, what, found: error.message }]
  }
}
