import { compileGlob } from '../lib/glob.ts'
import { allow, deny, type Verdict } from '../lib/verdict.ts'

/**
 * Whether people may use addresses of this one's domain: one that `[service].EMAIL_DOMAIN_ALLOWLIST` has, when it has any,
 * and none of `EMAIL_DOMAIN_BLOCKLIST`. Both hold patterns, in any letter case; `*` stands for dots as well.
 */
export function mayUseDomain(
  email: string,
  lists: { readonly emailDomainAllowlist: readonly string[]; readonly emailDomainBlocklist: readonly string[] },
): Verdict {
  const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase()
  const isIn = (patterns: readonly string[]): boolean =>
    patterns.some((pattern) => compileGlob(pattern.toLowerCase(), '')(domain))
  const { emailDomainAllowlist, emailDomainBlocklist } = lists
  if (emailDomainAllowlist.length > 0 && !isIn(emailDomainAllowlist)) {
    return deny(`addresses of ${domain} are not among those that this site takes`)
  }
  return isIn(emailDomainBlocklist) ? deny(`this site takes no addresses of ${domain}`) : allow
}
