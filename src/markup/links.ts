import { trimBoth, trimTrailing } from '../lib/trim-ends.ts'

/** The bases of relative addresses, without trailing slashes. */
export interface LinkBases {
  /** Prefix of addresses that begin with a slash; empty to keep them. */
  readonly root: string
  /** Folder of relative links: a full address or a path from the root; empty to keep them. */
  readonly links: string
  /** Folder of relative images, videos and audio. */
  readonly media: string
  /** Whether relative links lead to pages of a wiki, which are rendered whatever their name is. */
  readonly isWiki?: boolean
}

/** The rendering modes (contract: the page about Markdown). */
export type MarkdownMode = 'markdown' | 'gfm' | 'comment'

const hasScheme = (address: string): boolean => /^[a-z][a-z0-9+.-]*:/i.test(address)

const withoutEndSlash = (text: string): string => trimTrailing(text, '/')

/**
 * Returns the bases for `MarkdownOption` or `MarkupOption`. Mode `markdown` gives paths, the other modes full addresses (observed).
 * @param input.rootUrl address of the instance
 * @param input.context path below the root, or full address, of the text: for example `/owner/repository`
 * @param input.wiki whether the text is a wiki page of the repository in `context`
 * @param input.branchPath revision of the file, such as `branch/main`
 */
export function linkBases(input: {
  readonly rootUrl: string
  readonly context: string
  readonly mode: MarkdownMode
  readonly wiki?: boolean
  readonly branchPath?: string
}): LinkBases {
  const context = withoutEndSlash(input.context.trim())
  const rootUrl = withoutEndSlash(input.rootUrl)
  const full = URL.canParse(context) && /^https?:/i.test(context) ? new URL(context) : undefined
  let root: string
  let folder: string
  if (full !== undefined) {
    root = input.mode === 'markdown' ? '' : full.origin
    folder = withoutEndSlash(full.origin + full.pathname)
  } else {
    const path = context === '' || context.startsWith('/') ? context : `/${context}`
    root = input.mode === 'markdown' ? '' : rootUrl
    folder = root + path
  }
  if (input.wiki === true) return { root, links: `${folder}/wiki`, media: `${folder}/wiki/raw`, isWiki: true }
  const branchPath = trimBoth(input.branchPath ?? '', '/')
  if (branchPath !== '') return { root, links: `${folder}/src/${branchPath}`, media: `${folder}/media/${branchPath}` }
  return { root, links: folder, media: folder }
}

/** Joins a relative path to a folder and resolves `.` and `..`, never above the root. */
function joinPath(folder: string, relative: string): string {
  const head = /^([a-z][a-z0-9+.-]*:\/\/[^/]*|)(.*)$/i.exec(folder)
  const origin = head?.[1] ?? ''
  const [path, tail] = splitTail(relative)
  const kept: string[] = []
  for (const segment of `${head?.[2] ?? ''}/${path}`.split('/')) {
    if (segment === '..') kept.pop()
    else if (segment !== '' && segment !== '.') kept.push(segment)
  }
  const end = /(?:^|\/)\.{0,2}$/.test(path) && kept.length > 0 ? '/' : ''
  return `${origin}/${kept.join('/')}${end}${tail}`
}

/** Splits an address before `?` or `#`. */
function splitTail(address: string): [string, string] {
  const at = address.search(/[?#]/)
  return at < 0 ? [address, ''] : [address.slice(0, at), address.slice(at)]
}

/** Splits an address into its path, its query with `?` and its fragment with `#`. */
function splitAddress(address: string): readonly [path: string, query: string, fragment: string] {
  const [beforeFragment, fragment] = splitBefore(address, '#')
  return [...splitBefore(beforeFragment, '?'), fragment]
}

function splitBefore(text: string, mark: string): readonly [string, string] {
  const at = text.indexOf(mark)
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at)]
}

/**
 * Returns the final form of an address. It is idempotent, because addresses of Markdown are resolved again as HTML.
 * @param kind `media`: images, audio and videos
 */
export function resolveAddress(bases: LinkBases, address: string, kind: 'link' | 'media'): string {
  if (address === '' || hasScheme(address) || address.startsWith('//')) return address
  if (address.startsWith('#')) return withPrefix(address)
  const [path, query, fragment] = splitAddress(address)
  const isDocument = documentName.test(path) || (bases.isWiki === true && /^(?!\/|\.\.\/)./.test(path))
  const leadsToText = kind === 'link' && isDocument && !lineFragment.test(fragment)
  const whole = leadsToText ? path + query + withPrefix(fragment) : address
  if (whole.startsWith('/')) return bases.root + whole
  const folder = kind === 'media' ? bases.media : bases.links
  return folder === '' ? whole : joinPath(folder, whole)
}

/** Names of files that are rendered by default. Pages of files with configured extensions find their parts by script. */
const documentName = /\.(?:md|markdown|mdown|mkd|livemd|org)$/i

/** The lines of a source. */
const lineFragment = /^#L\d+(?:[-:]L?\d+)?$/

/** Returns the id of a part of a text. Its prefix keeps a text from taking ids of the page around it. */
export const prefixId = (id: string): string =>
  /^(?:user-content-|fn(?:ref\d*)?:user-content-)/.test(id) ? id : `user-content-${id}`

const withPrefix = (fragment: string): string => (fragment.length < 2 ? fragment : `#${prefixId(fragment.slice(1))}`)
