import { trimBoth, trimTrailing } from '../lib/trim-ends.ts'

/** The bases of relative addresses, without trailing slashes. */
export interface LinkBases {
  /** Prefix of addresses that begin with a slash; empty to keep them. */
  readonly root: string
  /** Folder of relative links: a full address or a path from the root; empty to keep them. */
  readonly links: string
  /** Folder of relative images, videos and audio. */
  readonly media: string
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
  if (input.wiki === true) return { root, links: `${folder}/wiki`, media: `${folder}/wiki/raw` }
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

/**
 * Returns the final form of an address. It is idempotent, because addresses of Markdown are resolved again as HTML.
 * @param kind `media`: images, audio and videos
 */
export function resolveAddress(bases: LinkBases, address: string, kind: 'link' | 'media'): string {
  if (address === '' || hasScheme(address) || address.startsWith('//')) return address
  if (address.startsWith('#')) {
    // Ids of headings and footnotes have a prefix, so that a text cannot take ids of the page around it.
    return address === '#' || /^#(?:user-content-|fn(?:ref\d*)?:user-content-)/.test(address)
      ? address
      : `#user-content-${address.slice(1)}`
  }
  if (address.startsWith('/')) return bases.root + address
  const folder = kind === 'media' ? bases.media : bases.links
  return folder === '' ? address : joinPath(folder, address)
}
