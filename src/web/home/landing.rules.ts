import { wordTable } from '../../lib/word-table.ts'

const pages = wordTable<string>({
  home: '/',
  explore: '/explore/repos',
  organizations: '/explore/organizations',
  login: '/user/login',
})

/**
 * Returns the path below the site root that guests see at `/`, for a value of `[server].LANDING_PAGE`. A text that is
 * neither a word nor a path of this site counts as `home`.
 */
export function landingOf(text: string): string {
  const known = pages[text.trim().toLowerCase()]
  if (known !== undefined) return known
  const path = `/${text.trim().replace(/^\/+/, '')}`
  return /^\/[\w./%~@+-]*(?:\?[^#\s\\]*)?$/.test(path) ? path : '/'
}
