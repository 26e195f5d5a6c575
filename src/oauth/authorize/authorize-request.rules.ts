/** What an application asks of a person, as it came by way of the browser. */
export interface AuthorizationRequest {
  readonly clientId: string
  readonly redirectUri: string
  readonly responseType: string
  readonly responseMode: string
  readonly state: string | undefined
  readonly scope: string
  readonly nonce: string
  /** PKCE (RFC 7636); empty: none. */
  readonly challenge: string
  readonly challengeMethod: string
  /** Words of OpenID Connect that say what the person is asked: `none`, `login`, `consent`, `select_account`. */
  readonly prompt: string
  /** How long ago the person may have signed in, in seconds; empty: whenever. */
  readonly maxAge: string
  /** An identity token of whom the application takes the person for; empty: it says nothing of it. */
  readonly idTokenHint: string
  /** Names of parameters of OpenID Connect that are not supported and stand for the whole request. */
  readonly unsupported: readonly string[]
  /** Names of parameters that came more than once. */
  readonly repeated: readonly string[]
}

/** Parameters that would change what is asked for, with the errors that say that they are not supported. */
export const unsupportedParameters = {
  request: 'request_not_supported',
  request_uri: 'request_uri_not_supported',
  registration: 'registration_not_supported',
} as const

/** Longest list of scopes, nonce and state, in characters. */
const maxTextLength = 4096

/** The words of `prompt`. */
export const promptsOf = ({ prompt }: Pick<AuthorizationRequest, 'prompt'>): ReadonlySet<string> =>
  new Set(prompt.split(' ').filter((word) => word !== ''))

/** What is wrong with a request whose application and address are right, as the application is told. */
export function problemOf(
  client: { readonly isConfidential: boolean },
  request: AuthorizationRequest,
): readonly [error: string, description: string] | undefined {
  const { responseType, responseMode, scope, nonce, state, maxAge, repeated, unsupported } = request
  const [twice] = repeated
  if (twice !== undefined) return ['invalid_request', `the parameter ${twice} comes more than once`]
  const [unknown] = unsupported
  if (unknown !== undefined) {
    return [unsupportedParameters[unknown as keyof typeof unsupportedParameters], `${unknown} is not supported`]
  }
  if (responseType !== 'code') return ['unsupported_response_type', 'only the response type code is supported']
  if (!['', 'query'].includes(responseMode)) return ['invalid_request', 'only the response mode query is supported']
  if ([scope, nonce, state ?? ''].some((text) => text.length > maxTextLength)) {
    return ['invalid_request', `scope, nonce and state have at most ${maxTextLength} characters`]
  }
  const prompts = promptsOf(request)
  if (prompts.has('none') && prompts.size > 1) return ['invalid_request', 'the prompt none stands alone']
  if (!/^\d{0,9}$/.test(maxAge)) return ['invalid_request', 'max_age is a number of seconds']
  return problemOfChallenge(client, request)
}

function problemOfChallenge(
  { isConfidential }: { readonly isConfidential: boolean },
  { challenge, challengeMethod }: AuthorizationRequest,
): readonly [error: string, description: string] | undefined {
  if (challenge === '') {
    if (challengeMethod !== '') return ['invalid_request', 'a method of challenge without a challenge']
    return isConfidential ? undefined : ['invalid_request', 'a public client needs a code challenge']
  }
  if (!['', 'plain', 'S256'].includes(challengeMethod)) return ['invalid_request', 'unknown method of code challenge']
  return /^[\w.~-]{43,128}$/.test(challenge) ? undefined : ['invalid_request', 'this is no code challenge']
}
