import { isApiScope, normaliseScopes } from '../auth/token-scopes.ts'
import { wordTable } from '../lib/word-table.ts'

/** The words of a request for scopes, each once, in their order. */
export const scopeWords = (scope: string): readonly string[] => [
  ...new Set(scope.split(/\s+/).filter((word) => word !== '')),
]

export const hasScope = (scope: string, word: string): boolean => scopeWords(scope).includes(word)

/**
 * What a token of a grant may do, as access tokens say it. Names of the API's scopes limit it; who asked for an identity
 * alone, or for nothing that is known, may do what the person may do (contract, auth: scopes of an access token).
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

/** What a grant lets an application do, in sentences for the person who is asked. */
export function describeScope(scope: string): readonly string[] {
  const told = ['Know who you are.']
  if (hasScope(scope, 'email')) told.push('See your mail address.')
  if (hasScope(scope, 'profile')) told.push('See your profile.')
  if (hasScope(scope, 'groups')) told.push('See your organizations and teams.')
  const granted = tokenScopesOf(scope).split(',')
  const isPublicOnly = granted.includes('public-only')
  const where = isPublicOnly ? ' Private things are left out.' : ''
  if (granted.includes('all')) return [...told, `Do everything that you can do yourself.${where}`]
  for (const [category, name] of Object.entries(categories)) {
    if (granted.includes(`write:${category}`)) told.push(`Read and change ${name}.${where}`)
    else if (granted.includes(`read:${category}`)) told.push(`Read ${name}.${where}`)
  }
  if (granted.includes('admin:public_key')) told.push('Manage your SSH keys.')
  if (granted.includes('admin:application')) told.push('Manage your applications.')
  if (granted.includes('admin:gpg_key')) told.push('Manage your OpenPGP keys.')
  return told
}
