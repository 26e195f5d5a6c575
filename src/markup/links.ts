import { trimTrailing } from '../lib/trim-ends.ts'

/** What relative addresses of a text are joined to. All are without a slash at the end. */
export interface LinkBases {
  /** Put before addresses that begin with a slash; empty to leave them as they are. */
  readonly root: string
  /** Folder of relative links: a full address or a path from the root; empty to leave them as they are. */
  readonly links: string
  /** Folder of relative images, videos and sounds. */
  readonly media: string
}

/** The modes of rendering: see the table in the contract's page about Markdown. */
export type MarkdownMode = 'markdown' | 'gfm' | 'comment'

const hasScheme = (address: string): boolean => /^[a-z][a-z0-9+.-]*:/i.test(address)

const withoutEndSlash = (text: string): string => trimTrailing(text, '/')

/**
 * The bases for a text that is rendered on behalf of `MarkdownOption` or `MarkupOption`.
 * Plain mode joins to the context as a path; the other modes give full addresses (observed).
 * @param input.rootUrl address of the instance
 * @param input.context path below the root (or a full address) the text belongs to, for example `/owner/repository`
 * @param input.wiki the text is a wiki page of the repository that `context` names
 * @param input.branchPath `branch/main` and the like: the text is a file of that repository at this revision
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
  const branchPath = (input.branchPath ?? '').replace(/^\/+|\/+$/g, '')
  if (branchPath !== '') return { root, links: `${folder}/src/${branchPath}`, media: `${folder}/media/${branchPath}` }
  return { root, links: folder, media: folder }
}

/** Joins a relative path to a folder and takes out `.` and `..`, never climbing above the root of the folder. */
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

/** Path and the rest that begins with `?` or `#`. */
function splitTail(address: string): [string, string] {
  const at = address.search(/[?#]/)
  return at < 0 ? [address, ''] : [address.slice(0, at), address.slice(at)]
}

/**
 * The address as it is to stand in the page. Resolving twice changes nothing, so addresses of Markdown and of HTML
 * inside of it take the same way.
 * @param kind media are images, sounds and videos
 */
export function resolveAddress(bases: LinkBases, address: string, kind: 'link' | 'media'): string {
  if (address === '' || hasScheme(address) || address.startsWith('//')) return address
  if (address.startsWith('#')) {
    // Ids of headings and footnotes carry a prefix, so that a text cannot claim ids of the page around it.
    return address === '#' || /^#(?:user-content-|fn(?:ref\d*)?:user-content-)/.test(address)
      ? address
      : `#user-content-${address.slice(1)}`
  }
  if (address.startsWith('/')) return bases.root + address
  const folder = kind === 'media' ? bases.media : bases.links
  return folder === '' ? address : joinPath(folder, address)
}
