import { cacheOf } from '../lib/cache.ts'
import { BadRequest } from '../lib/errors.ts'
import type { NarrowScope, Scope } from '../http/operation.ts'

export type ScopeLevel = 'read' | 'write'

/** Scopes in canonical order (observed). */
const categories: readonly Scope[] = [
  'activitypub',
  'admin',
  'misc',
  'notification',
  'organization',
  'package',
  'issue',
  'repository',
  'user',
]

/** Scopes of the written contract that each open one group of addresses. */
const narrowScopes: readonly NarrowScope[] = ['admin:public_key', 'admin:application', 'admin:gpg_key']

/** Parsed scopes of an access token. */
export interface TokenScopes {
  readonly publicOnly: boolean
  readonly levels: ReadonlyMap<Scope, ScopeLevel>
  readonly narrow: ReadonlySet<NarrowScope>
  /** Whether the token may write every category, private data included, like the account itself. */
  readonly isEverything: boolean
}

const known = new Set<string>([
  'all',
  'public-only',
  ...narrowScopes,
  ...categories.flatMap((each) => [`read:${each}`, `write:${each}`]),
])

/** Returns whether a scope of this name exists. */
export const isApiScope = (text: string): boolean => known.has(text)

/**
 * Returns scopes in their stored form: each known scope once in a fixed order, `write:x` replacing `read:x`, all nine
 * `write:` as `all`, `public-only` first. A text may list several scopes separated by commas. Source: contract E/A2 and
 * observed.
 */
export function normaliseScopes(texts: readonly string[]): string {
  const scopes = new Set(
    texts
      .join(',')
      .split(',')
      .filter((text) => text !== '' && text !== 'sudo'),
  )
  if (scopes.size === 0) throw new BadRequest('access token must have a scope', 'scope_missing')
  for (const text of scopes) if (!isApiScope(text)) throw new BadRequest(`unknown scope: ${text}`, 'scope_unknown')
  const levels = categories.flatMap((category) => {
    if (scopes.has('all') || scopes.has(`write:${category}`)) return [`write:${category}`]
    return scopes.has(`read:${category}`) ? [`read:${category}`] : []
  })
  const everything = levels.length === categories.length && levels.every((level) => level.startsWith('write:'))
  return [
    ...(scopes.has('public-only') ? ['public-only'] : []),
    ...(everything ? ['all'] : levels),
    ...narrowScopes.filter((scope) => scopes.has(scope)),
  ].join(',')
}

const parsed = cacheOf<string, TokenScopes>(100)

/** Parses stored scopes. */
export function parseScopes(stored: string): TokenScopes {
  let scopes = parsed.get(stored)
  if (!scopes) parsed.set(stored, (scopes = takeApart(stored)))
  return scopes
}

function takeApart(stored: string): TokenScopes {
  const parts = new Set(stored.split(','))
  const levels = new Map<Scope, ScopeLevel>()
  for (const category of categories) {
    if (parts.has('all') || parts.has(`write:${category}`)) levels.set(category, 'write')
    else if (parts.has(`read:${category}`)) levels.set(category, 'read')
  }
  const publicOnly = parts.has('public-only')
  return {
    publicOnly,
    levels,
    narrow: new Set(narrowScopes.filter((scope) => parts.has(scope))),
    isEverything: !publicOnly && categories.every((category) => levels.get(category) === 'write'),
  }
}

/** Returns whether `inner` grants nothing that `outer` does not grant. */
export function isWithin(inner: TokenScopes, outer: TokenScopes): boolean {
  if (outer.publicOnly && !inner.publicOnly) return false
  const allCategories = [...inner.levels].every(([category, level]) => grants(outer, category, level))
  const hasAll = categories.every((category) => outer.levels.get(category) === 'write')
  return allCategories && (hasAll || [...inner.narrow].every((scope) => outer.narrow.has(scope)))
}

/** Returns the level that a method requires (contract R1). */
export const levelOf = (method: string): ScopeLevel => (method === 'GET' || method === 'HEAD' ? 'read' : 'write')

/** Returns whether the scopes grant the category at this level or a higher one. */
export function grants(scopes: TokenScopes, category: Scope, level: ScopeLevel): boolean {
  const granted = scopes.levels.get(category)
  return granted === 'write' || granted === level
}
