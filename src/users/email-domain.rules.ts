import { anyMatch, type Match } from '../lib/expression.ts'
import { compileGlob } from '../lib/glob.ts'
import { WorkBudget } from '../lib/work-budget.ts'
import { allow, deny, type Verdict } from '../lib/verdict.ts'

/**
 * Returns whether people may use addresses of this domain: `[service].EMAIL_DOMAIN_ALLOWLIST` matches, or is empty, and
 * `EMAIL_DOMAIN_BLOCKLIST` does not match. Both contain patterns in any letter case; `*` also matches dots.
 */
export function mayUseDomain(
  email: string,
  lists: { readonly emailDomainAllowlist: readonly string[]; readonly emailDomainBlocklist: readonly string[] },
): Verdict {
  // The patterns are settings of the site; the budget bounds the domain. What cannot be decided is not allowed.
  const budget = new WorkBudget()
  const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase()
  const isIn = (patterns: readonly string[]): Match =>
    anyMatch(
      patterns.map((pattern) => compileGlob(pattern.toLowerCase(), '', budget)),
      domain,
    )
  const { emailDomainAllowlist, emailDomainBlocklist } = lists
  if (emailDomainAllowlist.length > 0 && isIn(emailDomainAllowlist) !== true) {
    return deny('email_domain_refused', `addresses of ${domain} are not among those that this site takes`)
  }
  return isIn(emailDomainBlocklist) !== false
    ? deny('email_domain_refused', `this site takes no addresses of ${domain}`)
    : allow
}
