/** The authorization request of an application, from the browser. */
export interface AuthorizationRequest {
  readonly clientId: string
  readonly redirectUri: string
  readonly responseType: string
  readonly responseMode: string
  readonly state: string | undefined
  readonly scope: string
  readonly nonce: string
  /** The PKCE challenge (RFC 7636), or an empty string. */
  readonly challenge: string
  readonly challengeMethod: string
  /** Words of OpenID Connect: `none`, `login`, `consent`, `select_account`. */
  readonly prompt: string
  /** The maximal age of the sign-in, in seconds, or an empty string. */
  readonly maxAge: string
  /** An identity token of the expected person, or an empty string. */
  readonly idTokenHint: string
  /** The names of unsupported OpenID Connect parameters that would change the request. */
  readonly unsupported: readonly string[]
  /** The names of parameters that occur more than once. */
  readonly repeated: readonly string[]
}

/** Unsupported parameters that would change the request, with their errors. */
export const unsupportedParameters = {
  request: 'request_not_supported',
  request_uri: 'request_uri_not_supported',
  registration: 'registration_not_supported',
} as const

/** Longest scope, nonce and state, in characters. */
const maxTextLength = 4096

export const promptsOf = ({ prompt }: Pick<AuthorizationRequest, 'prompt'>): ReadonlySet<string> =>
  new Set(prompt.split(' ').filter((word) => word !== ''))

/** Returns the error of a request with a valid application and address, which the application gets. */
export function problemOf(
  client: { readonly isConfidential: boolean },
  request: AuthorizationRequest,
): readonly [error: string, description: string] | undefined {
  const { responseType, responseMode, scope, nonce, state, maxAge, repeated, unsupported } = request
  const [twice] = repeated
  if (twice !== undefined) return ['invalid_request', `the parameter ${twice} occurs more than once`]
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
  if (prompts.has('none') && prompts.size > 1) return ['invalid_request', 'prompt=none cannot be combined']
  if (!/^\d{0,9}$/.test(maxAge)) return ['invalid_request', 'max_age must be a number of seconds']
  return problemOfChallenge(client, request)
}

function problemOfChallenge(
  { isConfidential }: { readonly isConfidential: boolean },
  { challenge, challengeMethod }: AuthorizationRequest,
): readonly [error: string, description: string] | undefined {
  if (challenge === '') {
    if (challengeMethod !== '') return ['invalid_request', 'code_challenge_method without code_challenge']
    return isConfidential ? undefined : ['invalid_request', 'a public client needs a code challenge']
  }
  if (!['', 'plain', 'S256'].includes(challengeMethod)) return ['invalid_request', 'unknown code_challenge_method']
  return /^[\w.~-]{43,128}$/.test(challenge) ? undefined : ['invalid_request', 'malformed code_challenge']
}
