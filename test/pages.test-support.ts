import { unescaped, type Browser } from '../src/testing/browser.ts'

/** A page that a crawl opened. */
export interface Visit {
  readonly path: string
  /** The page that links to it. */
  readonly from: string
  readonly status: number
  readonly contentType: string
  readonly text: string
}

/** Addresses that are no pages: downloads, feeds, pictures and the like. */
const isOther = (path: string): boolean =>
  /^\/(?:api|assets|avatars|repo-avatars|attachments)\//.test(path) ||
  /\/(?:raw|media|archive|releases\/download|(?:rss|atom)\/branch)\/|\.(?:rss|atom|diff|patch|git|svg|zip|keys|gpg)(?:\?|$)/.test(
    path,
  ) ||
  /\/(?:logs|artifacts\/[^/]+|files\/[^/]+)(?:\?|$)/.test(path)

/** The query of list pages leads to endless combinations, and each revision has all files: one of each shape is enough. */
const shapeOf = (path: string): string => {
  const [address = '', query = ''] = path.split('?', 2)
  const names = [...new Set(new URLSearchParams(query).keys())].toSorted()
  const shape = address.replaceAll(/[0-9a-f]{40}/g, 'SHA').replace(/\/(?:branch|tag)\/[^/]+/, '/REVISION')
  return `${shape}?${names.join('&')}`
}

/** Returns the addresses of this site in a page, without fragments. */
export function linksIn(html: string, at: string, root: string): readonly string[] {
  return [...html.matchAll(/\shref="([^"]*)"/g)].flatMap(([, href = '']) => {
    const url = new URL(unescaped(href), new URL(at, root))
    return url.origin === new URL(root).origin && !href.startsWith('#') ? [`${url.pathname}${url.search}`] : []
  })
}

/**
 * Opens a page and all pages that links lead to, each shape of an address once.
 * @param limit most pages
 */
export async function crawl(browser: Browser, start: readonly string[], limit = 600): Promise<readonly Visit[]> {
  const seen = new Set(start.map(shapeOf))
  const waiting = start.map((path) => ({ path, from: 'start' }))
  const visits: Visit[] = []
  while (waiting.length > 0 && visits.length < limit) {
    const { path, from } = waiting.shift() as (typeof waiting)[number]
    const reply = await browser.send('GET', path, undefined, { accept: 'text/html' })
    const contentType = reply.headers.get('content-type') ?? ''
    visits.push({ path, from, status: reply.status, contentType, text: reply.text })
    const location = reply.headers.get('location')
    const found =
      reply.status >= 300 && reply.status < 400 && location !== null
        ? [new URL(location, new URL(path, browser.forge.url))].map((url) => url.pathname + url.search)
        : contentType.startsWith('text/html')
          ? linksIn(reply.text, path, browser.forge.url)
          : []
    for (const next of found) {
      const shape = shapeOf(next)
      if (seen.has(shape) || isOther(next)) continue
      seen.add(shape)
      waiting.push({ path: next, from: path })
    }
  }
  return visits
}
