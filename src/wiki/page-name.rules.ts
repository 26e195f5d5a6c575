import type { TreeEntry } from '../git/git.ts'
import { escapeQuery } from '../lib/escape-url.ts'
import { allow, deny, type Verdict } from '../lib/verdict.ts'
import { resolvePath } from '../code/tree-path.rules.ts'

/**
 * Names of pages (contract, wiki: names). A title has a *name*, which is used in addresses and, escaped, as the file name:
 * spaces become dashes. A title with dashes, or one that ends like a file, keeps its spaces and gets a marker.
 */

/** The suffix of the name of a title that keeps its spaces. */
const marker = '.-'
const fileEnding = '.md'

/** Longest file name. Common file systems cannot check out a longer one, so that the wiki could not be cloned. */
const maxFileBytes = 255

/** Path parts of addresses that are not pages. */
const reserved: ReadonlySet<string> = new Set(['_pages', '_new', '_edit', 'raw'])

/** Control characters, and characters that change the direction of text: a title with them looks like another one. */
// oxlint-disable-next-line no-control-regex -- control characters are what must not pass
const unseen = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/

/** Returns the name of a title: `two words` is `two-words`, and `well-known` is `well-known.-`. */
export function nameOfTitle(title: string): string {
  const text = title.trim().normalize()
  return text.includes('-') || text.endsWith(fileEnding) ? text + marker : text.replaceAll(' ', '-')
}

export const titleOfName = (name: string): string =>
  name.endsWith(marker) ? name.slice(0, -marker.length) : name.replaceAll('-', ' ')

/** Returns the file that the forge writes for a name. It is never in a folder. */
export const fileOfName = (name: string): string => escapeQuery(name).replaceAll('+', ' ') + fileEnding

/** Returns the file name without its extension, by which events name a page. */
export const withoutEnding = (file: string): string => file.slice(0, -fileEnding.length)

export const isPageFile = (file: string): boolean => file.endsWith(fileEnding) && file.length > fileEnding.length

/** Returns whether a tree entry is a page. Links and folders are not. */
export const isPage = ({ type, mode, name }: TreeEntry): boolean =>
  type === 'blob' && mode !== '120000' && isPageFile(name)

/**
 * Returns the name of a file. A pushed file may contain characters that the forge escapes, and escapes that it never writes:
 * those of a zero byte stay as they are, because no text of a database holds one.
 */
export function nameOfFile(file: string): string {
  const base = withoutEnding(file)
  try {
    const name = decodeURIComponent(base)
    return name.includes('\0') ? base : name
  } catch {
    return base
  }
}

/** A form removes line breaks and spaces around the title that it shows. */
const asInForm = (title: string): string => title.replaceAll(/[\r\n]/g, '').trim()

/** Returns whether a title that somebody sent is the present title of a page, which a push may have given it. */
export const isSameTitle = (sent: string, present: string): boolean => asInForm(sent) === asInForm(present)

/** Checks the title of a page. */
export function mayTitlePage(title: string): Verdict {
  const text = title.trim()
  if (text === '') return deny('wiki_title_invalid', 'a page needs a title')
  if (unseen.test(text)) {
    return deny(
      'wiki_title_invalid',
      'a title must not contain control characters or characters that change the text direction',
    )
  }
  if (text === '.' || text === '..') return deny('wiki_title_invalid', `${text} is a folder, so it cannot be a title`)
  const taken = text.split('/').find((part) => reserved.has(part))
  if (taken !== undefined) return deny('wiki_title_invalid', `${taken} is reserved`)
  if (Buffer.byteLength(fileOfName(nameOfTitle(text))) > maxFileBytes) {
    return deny(
      'wiki_title_invalid',
      `the title is too long: the file name of a page has at most ${maxFileBytes} bytes`,
    )
  }
  return allow
}

/** The page in the address of a request. */
export interface PageAddress {
  readonly name: string
  /** The name in replies: spaces are escaped as in the request. */
  readonly subUrl: string
}

/** Parses the escaped name of a page in an address. A plus is a space, and a slash belongs to the name. */
export function parsePageAddress(escaped: string): PageAddress {
  const parts = resolvePath(escaped)
    .split('/')
    .map((part) => decodeURIComponent(part.replaceAll('+', ' ')))
  const name = parts.join('/')
  const subUrl = escapeQuery(name)
  return { name, subUrl: escaped.includes('%20') ? subUrl.replaceAll('+', '%20') : subUrl }
}

/**
 * Returns the files that a name may mean, the most likely first: the file that the forge writes, then pushed files with
 * unescaped names, spaces, folders or a given extension.
 */
export function filesOfName(name: string): string[] {
  const names = [...new Set([name, name.normalize(), name.normalize('NFD')])]
  const dashed = names.flatMap((each) => (each.endsWith(marker) ? [] : each.replaceAll(' ', '-')))
  const spaced = names.flatMap((each) => (each.endsWith(marker) ? [] : each.replaceAll('-', ' ')))
  return [
    ...new Set([
      ...[...names, ...dashed].flatMap((each) => [fileOfName(each), each + fileEnding]),
      ...spaced.flatMap((each) => [fileOfName(each), each + fileEnding]),
      ...names,
    ]),
  ].filter(isPageFile)
}

/** Names that an address does not pass on: those of folders, and those of pages about all pages. */
const unaddressable: ReadonlySet<string> = new Set(['.', '..', '_pages', '_new'])

/**
 * Returns the address of a file's page. It contains the extension of the file when the name alone leads elsewhere: to another
 * page (`hasPage`), or to none.
 */
export function subUrlOfFile(file: string, hasPage: (file: string) => boolean): string {
  const name = nameOfFile(file)
  const isReached =
    !unaddressable.has(name) && filesOfName(name).find((each) => each === file || hasPage(each)) === file
  return escapeQuery(isReached ? name : file)
}
