import { BadRequest } from '../lib/errors.ts'

const maxLength = 2048

/** Checks the address of an external file, which must be http or https. Throws `BadRequest`. */
export function checkedAddress(text: string): URL {
  // Characters that browsers remove from addresses must not hide another address.
  const isPlain = text.length <= maxLength && !/[\s\p{Cc}]/u.test(text) && text.isWellFormed()
  const url = isPlain ? URL.parse(text) : null
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new BadRequest('the address of the file must begin with http:// or https://', 'external_url_invalid')
  }
  return url
}

/** Returns the file name of an address: the last part of the path, or the host. */
export function nameByAddress({ pathname, hostname }: URL): string {
  const last = pathname.split('/').at(-1) as string
  try {
    return decodeURIComponent(last) || hostname
  } catch {
    // The path is not valid percent-encoding.
    return last
  }
}
