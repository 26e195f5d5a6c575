import { compileGlob } from '../lib/glob.ts'
import { allow, deny, type Verdict } from '../lib/verdict.ts'

/**
 * Returns whether people may use addresses of this domain: `[service].EMAIL_DOMAIN_ALLOWLIST` matches, or is empty, and
 * `EMAIL_DOMAIN_BLOCKLIST` does not match. Both contain patterns in any letter case; `*` also matches dots.
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
    return deny('email_domain_refused', `addresses of ${domain} are not among those that this site takes`)
  }
  return isIn(emailDomainBlocklist) ? deny('email_domain_refused', `this site takes no addresses of ${domain}`) : allow
}
