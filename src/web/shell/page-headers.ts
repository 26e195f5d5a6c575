import type { Config } from '../../config/load-config.ts'

/**
 * Loads only files of the forge, runs no inline scripts or styles, and forbids framing by other sites. Pictures of other
 * servers are allowed, because texts of people show them.
 */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src * data:; media-src *; font-src 'self'; connect-src 'self'; manifest-src 'self'; worker-src 'self'; frame-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'self'"

/** Returns the headers with a policy that denies framing where `X-Frame-Options` does: browsers obey the policy first. */
export const framedAlike = (headers: Readonly<Record<string, string>>): Record<string, string> => {
  const { 'content-security-policy': stated, 'x-frame-options': framing } = headers
  if (stated === undefined || framing?.toUpperCase() !== 'DENY') return { ...headers }
  return {
    ...headers,
    'content-security-policy': stated.replace("frame-ancestors 'self'", "frame-ancestors 'none'"),
  }
}

/**
 * Returns the headers of every page.
 * @param language of its texts
 */
export const pageHeaders = (config: Pick<Config, 'cors'>, language: string): Record<string, string> =>
  framedAlike({
    'content-language': language,
    vary: 'Accept-Language, Cookie',
    'content-security-policy': policy,
    'x-frame-options': config.cors.xFrameOptions === 'unset' ? 'SAMEORIGIN' : config.cors.xFrameOptions,
    'referrer-policy': 'same-origin',
    'cache-control': 'private, no-cache',
  })

/**
 * Returns the policy of a page whose form may end at another address, redirects included.
 * @param formTarget source expression of that address
 */
export const policyWith = (formTarget: string): string =>
  policy.replace("form-action 'self'", `form-action 'self' ${formTarget}`)

/**
 * Headers of a page that must not be kept. `same-origin` already hides its address from other sites; `no-referrer`
 * would also remove `Origin` from its forms.
 */
export const unkept = { 'cache-control': 'no-store' } as const
