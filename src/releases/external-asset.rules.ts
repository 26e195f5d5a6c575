import { BadRequest } from '../lib/errors.ts'

const maxLength = 2048

/** The address of a file that lies elsewhere, as it was sent; only those of http and https are taken. Else `BadRequest`. */
export function checkedAddress(text: string): URL {
  // What a browser would leave out of an address is not to be hidden in one.
  const isPlain = text.length <= maxLength && !/[\s\p{Cc}]/u.test(text) && text.isWellFormed()
  const url = isPlain ? URL.parse(text) : null
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new BadRequest('the address of the file must begin with http:// or https://', 'external_url_invalid')
  }
  return url
}

/** The name of a file by its address: the last part of the path, else the host. */
export function nameByAddress({ pathname, hostname }: URL): string {
  const last = pathname.split('/').at(-1) as string
  try {
    return decodeURIComponent(last) || hostname
  } catch {
    // Not every path is escaped text.
    return last
  }
}
