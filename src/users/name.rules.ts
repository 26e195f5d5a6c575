import { allow, deny, type Verdict } from '../lib/verdict.ts'

/** Names that are addresses of the instance: those of the contract's rules for account names, and pages that it does not know. */
const reservedNames = new Set(
  (
    '. .. - .well-known api metrics v2 assets attachments avatar avatars repo-avatars captcha login org repo user admin ' +
    'devtest explore issues pulls milestones notifications report_abuse favicon.ico manifest.json robots.txt sitemap.xml ' +
    'ssh_info swagger.v1.json ghost gitea-actions forgejo-actions ' +
    'search swagger twirp'
  ).split(' '),
)

const reservedEndings = ['.keys', '.gpg', '.rss', '.atom', '.png']

/** Longest name of an account, in characters. */
export const maxAccountNameLength = 40

/** Returns whether an account or organization may have the name; `[service].ALLOW_DOTS_IN_USERNAMES` controls dots. */
export function mayNameAccount(name: string, rules: { readonly allowDotsInUsernames: boolean }): Verdict {
  if (name.length === 0 || name.length > maxAccountNameLength) {
    return deny('name_invalid', `a name has 1 to ${maxAccountNameLength} characters`)
  }
  if (!/^[0-9A-Za-z](?:[0-9A-Za-z]|[-_.](?=[0-9A-Za-z]))*$/.test(name)) {
    return deny('name_invalid', 'a name has letters and digits, with single - _ . between them')
  }
  if (name.includes('.') && !rules.allowDotsInUsernames) return deny('name_invalid', 'names have no dots here')
  const lower = name.toLowerCase()
  if (reservedNames.has(lower)) return deny('name_invalid', `the name ${name} is reserved`)
  const ending = reservedEndings.find((each) => lower.endsWith(each))
  return ending ? deny('name_invalid', `names ending with ${ending} are reserved`) : allow
}
