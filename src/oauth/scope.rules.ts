import { isApiScope, normaliseScopes } from '../auth/token-scopes.ts'
import { wordTable } from '../lib/word-table.ts'

/** Returns the distinct words of a scope, in order. */
export const scopeWords = (scope: string): readonly string[] => [
  ...new Set(scope.split(/\s+/).filter((word) => word !== '')),
]

export const hasScope = (scope: string, word: string): boolean => scopeWords(scope).includes(word)

/**
 * Returns the scopes of a grant in the form of access tokens. A grant without a scope of the API, such as `openid` alone, has
 * all rights of the person (contract, auth: scopes of an access token).
 */
export function tokenScopesOf(scope: string): string {
  const known = scopeWords(scope)
    .flatMap((word) => word.split(','))
    .filter(isApiScope)
  const levels = known.filter((word) => word !== 'public-only')
  return normaliseScopes(levels.length === 0 ? [...known, 'all'] : known)
}

const categories = wordTable<string>({
  activitypub: 'federation',
  admin: 'the administration of this instance, as far as you have it',
  misc: 'general information',
  notification: 'your notifications',
  organization: 'your organizations and teams',
  package: 'packages that you may reach, private ones too',
  issue: 'issues and pull requests of repositories that you may reach',
  repository: 'repositories that you may reach, private ones too',
  user: 'your account and its settings',
})

/** Returns the rights of a grant as sentences for the consent page. */
export function describeScope(scope: string): readonly string[] {
  const sentences = ['Know who you are.']
  if (hasScope(scope, 'email')) sentences.push('See your mail address.')
  if (hasScope(scope, 'profile')) sentences.push('See your profile.')
  if (hasScope(scope, 'groups')) sentences.push('See your organizations and teams.')
  const granted = tokenScopesOf(scope).split(',')
  const isPublicOnly = granted.includes('public-only')
  const where = isPublicOnly ? ' Private things are left out.' : ''
  if (granted.includes('all')) return [...sentences, `Do everything that you can do yourself.${where}`]
  for (const [category, name] of Object.entries(categories)) {
    if (granted.includes(`write:${category}`)) sentences.push(`Read and change ${name}.${where}`)
    else if (granted.includes(`read:${category}`)) sentences.push(`Read ${name}.${where}`)
  }
  if (granted.includes('admin:public_key')) sentences.push('Manage your SSH keys.')
  if (granted.includes('admin:application')) sentences.push('Manage your applications.')
  if (granted.includes('admin:gpg_key')) sentences.push('Manage your OpenPGP keys.')
  return sentences
}
