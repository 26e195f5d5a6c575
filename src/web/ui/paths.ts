import type { Config } from '../../config/load-config.ts'

/** Most parts need no escape, and pages have hundreds of them. */
const isPlain = (part: string): boolean => /^[\w.~-]*$/.test(part)

const escaped = (part: string): string => (isPlain(part) ? part : part.split('/').map(encodeURIComponent).join('/'))

/**
 * Returns a path below the site root. Each part is escaped; slashes inside a part (a branch, a file path) remain.
 */
export const pathOf = (...parts: readonly (string | number)[]): string => {
  let path = ''
  for (const part of parts) if (part !== '') path += `/${escaped(String(part))}`
  return path === '' ? '/' : path
}

/** Returns a path with the given parameters; undefined and empty ones are left out. */
export function withQuery(
  path: string,
  values: Readonly<Record<string, string | number | boolean | undefined>>,
): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(values)) {
    if (value !== undefined && value !== '') query.append(name, String(value))
  }
  const text = query.toString()
  return text === '' ? path : `${path}?${text}`
}

/** Returns the address of the current page with changed parameters; undefined deletes one. The page number is reset. */
export function changedQuery(url: string, changes: Readonly<Record<string, string | number | undefined>>): string {
  const [path = '/', search = ''] = url.split('?', 2)
  const query = new URLSearchParams(search)
  query.delete('page')
  query.delete('cursor')
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined || value === '') query.delete(name)
    else query.set(name, String(value))
  }
  const text = query.toString()
  return text === '' ? path : `${path}?${text}`
}

/**
 * Returns the address of a path on this site. It has no host, because the browser may use another host name than the
 * configured one.
 */
export const siteHref = (config: Pick<Config, 'server'>, path: string): string => `${config.server.subPath}${path}`
