import type { TreeEntry } from '../git/git.ts'
import { escapeQuery } from '../lib/escape-url.ts'
import { allow, deny, type Verdict } from '../lib/verdict.ts'
import { resolvePath } from '../code/tree-path.rules.ts'

/**
 * How pages are named (contract, wiki: names). A title has a *name*, which stands in addresses and, escaped, in the file:
 * spaces become dashes; a title that has dashes of its own, or ends like a file, keeps its spaces and is marked.
 */

/** What ends the name of a title that stands as it is. */
const marker = '.-'
const fileEnding = '.md'

/** Longest name of a file, in bytes, that common file systems can check out: a longer one would keep all from cloning. */
const maxFileBytes = 255

/** Parts of addresses that pages have besides those of pages. */
const reserved: ReadonlySet<string> = new Set(['_pages', '_new', '_edit', 'raw'])

/** Control characters, and those that turn the direction of what follows: a title with them shows as another one. */
// oxlint-disable-next-line no-control-regex -- control characters are what must not pass
const unseen = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/

/** The name of a title: `two words` is `two-words`, and `well-known` is `well-known.-`. */
export function nameOfTitle(title: string): string {
  const text = title.trim().normalize()
  return text.includes('-') || text.endsWith(fileEnding) ? text + marker : text.replaceAll(' ', '-')
}

export const titleOfName = (name: string): string =>
  name.endsWith(marker) ? name.slice(0, -marker.length) : name.replaceAll('-', ' ')

/** The file of a name, as the forge itself writes it; never in a folder. */
export const fileOfName = (name: string): string => escapeQuery(name).replaceAll('+', ' ') + fileEnding

/** The file without its ending, as events name a page. */
export const withoutEnding = (file: string): string => file.slice(0, -fileEnding.length)

export const isPageFile = (file: string): boolean => file.endsWith(fileEnding) && file.length > fileEnding.length

/** Links and folders are no pages, whatever their name is. */
export const isPage = ({ type, mode, name }: TreeEntry): boolean =>
  type === 'blob' && mode !== '120000' && isPageFile(name)

/** The name of a file, which may have been pushed with characters that the forge would have escaped. */
export function nameOfFile(file: string): string {
  const base = withoutEnding(file)
  try {
    return decodeURIComponent(base)
  } catch {
    return base
  }
}

/** Whether a page may have the title. */
export function mayTitlePage(title: string): Verdict {
  const text = title.trim()
  if (text === '') return deny('a page needs a title')
  if (unseen.test(text)) return deny('a title holds no control characters, and none that turn the direction of a text')
  const taken = text.split('/').find((part) => reserved.has(part))
  if (taken !== undefined) return deny(`${taken} is reserved`)
  if (Buffer.byteLength(fileOfName(nameOfTitle(text))) > maxFileBytes) {
    return deny(`the file of a page has a name of at most ${maxFileBytes} bytes, and that of this title is longer`)
  }
  return allow
}

/** A page as a request's address names it. */
export interface AskedPage {
  readonly name: string
  /** The name as answers give it back: spaces are escaped the way the request escaped them. */
  readonly subUrl: string
}

/**
 * Reads the part of an address that names a page, still escaped: a plus is a space there, and a slash a part of the name.
 */
export function readPageAddress(escaped: string): AskedPage {
  const parts = resolvePath(escaped)
    .split('/')
    .map((part) => decodeURIComponent(part.replaceAll('+', ' ')))
  const name = parts.join('/')
  const subUrl = escapeQuery(name)
  return { name, subUrl: escaped.includes('%20') ? subUrl.replaceAll('+', '%20') : subUrl }
}

/**
 * The files that a name may stand for, the likeliest first: the one the forge writes, then those that people push, whose
 * names are not escaped, have spaces, lie in folders, or are given with their ending.
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

/**
 * The address of a file's page. Where the file that the forge would write for the name is there as well (`hasFile`), the
 * page that was pushed beside it is told by its ending.
 */
export function subUrlOfFile(file: string, hasFile: (file: string) => boolean): string {
  const name = nameOfFile(file)
  const usual = fileOfName(name)
  return escapeQuery(usual !== file && hasFile(usual) ? file : name)
}
