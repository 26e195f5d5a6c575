import { wordTable } from '../lib/word-table.ts'

/** The elements of a sanitised text that matter to a mail: their attributes stand in quotation marks. */
const elements = /<(\/?)(a|img|video|audio|picture|source|track)\b((?:"[^"]*"|[^">])*)>/g

const attribute = (attributes: string, name: string): string | undefined =>
  new RegExp(`(?:^|\\s)${name}="([^"]*)"`).exec(attributes)?.[1]

/** Returns the last part of the path of an address, as HTML. */
const fileOf = (address: string): string => /([^/]*)\/?$/.exec(address.replace(/[?#].*$/, ''))?.[1] || address

/**
 * Replaces pictures, films and sounds of a sanitised text by links to them: loading one would reveal to its author who reads the
 * mail. A picture in a link is its text there.
 */
export function withoutMedia(html: string): string {
  let links = 0
  return html.replace(elements, (whole, slash: string, tag: string, attributes: string) => {
    if (tag === 'a') {
      links += slash === '' ? 1 : -1
      return whole
    }
    if (slash !== '' || tag === 'picture' || tag === 'source' || tag === 'track') return ''
    const address = attribute(attributes, 'src')
    const label = attribute(attributes, 'alt') || (address === undefined ? '' : fileOf(address))
    return address === undefined || links > 0 ? label : `<a href="${address}" rel="nofollow">${label}</a>`
  })
}

/** Most addresses below the text part of a mail. */
const maxAddresses = 50

const entities = wordTable<string>({ amp: '&', lt: '<', gt: '>', quot: '"', '#34': '"', '#39': "'" })
const plainText = (html: string): string =>
  html
    .replace(/<(?:"[^"]*"|[^">])*>/g, '')
    .replace(/&(amp|lt|gt|quot|#34|#39);/g, (_whole, name: string) => entities[name] as string)
    .replace(/\s+/g, ' ')
    .trim()

/**
 * Returns the links of a rendered text whose addresses do not stand in its source, such as references and relative links, each as a
 * line with label and address.
 */
export function addressLines(source: string, html: string): string[] {
  const lines = new Set<string>()
  for (const [, , address = '', label = ''] of html.matchAll(
    /<a\b(?=[^>]*\shref=("([^"#][^"]*)"))[^>]*>(.*?)<\/a>/gs,
  )) {
    const url = plainText(address)
    if (lines.size < maxAddresses && !source.includes(url)) lines.add(`${plainText(label) || url}: ${url}`)
  }
  return [...lines]
}
