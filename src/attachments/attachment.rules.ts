import type { AttachmentRow } from '../db/tables/issues.ts'
import type { UsageKind } from '../access/quota/quota.rules.ts'

/** Extensions and media types that may be attached; an empty list allows all. */
export interface AllowedTypes {
  readonly extensions: ReadonlySet<string>
  /** `image/*` is stored as `image/`. */
  readonly mediaTypes: readonly string[]
  readonly isAny: boolean
}

/** Parses a list of `.png`, `text/plain`, `image/*` and so on, separated by commas. */
export function allowedTypes(list: string): AllowedTypes {
  const entries = list
    .split(',')
    .map((entry) => entry.trim().toLowerCase())
    .filter((entry) => entry !== '')
  return {
    extensions: new Set(entries.filter((entry) => entry.startsWith('.'))),
    mediaTypes: entries.filter((entry) => entry.includes('/')).map((entry) => entry.replace(/\*$/, '')),
    isAny: entries.length === 0 || entries.includes('*/*') || entries.includes('*'),
  }
}

/** Returns whether a file may be attached, by its extension or its detected type. */
export function mayAttach(allowed: AllowedTypes, name: string, contentType: string): boolean {
  if (allowed.isAny) return true
  const extension = /\.[^./\\]+$/.exec(name.toLowerCase())?.[0]
  if (extension !== undefined && allowed.extensions.has(extension)) return true
  const type = (contentType.split(';')[0] as string).trim().toLowerCase()
  return allowed.mediaTypes.some((each) => (each.endsWith('/') ? type.startsWith(each) : type === each))
}

/**
 * Characters removed from file names: control characters and those that change the writing direction, which can make
 * `txt.exe` look like `exe.txt`.
 */
const hiddenCharacters = /[\p{Cc}\u202a-\u202e\u2066-\u2069\u2028\u2029]/gu

/** Longest file name, in characters. */
const maxNameLength = 255

/**
 * Returns the stored name of an uploaded file: the part after the last slash of either kind, without invisible
 * characters; '' when nothing remains.
 */
export function attachedName(name: string): string {
  const last = name.toWellFormed().split(/[\\/]/).at(-1) as string
  const shown = Array.from(last.replace(hiddenCharacters, '').trim()).slice(0, maxNameLength).join('').trim()
  return shown === '.' || shown === '..' ? '' : shown
}

/** Quota subject of a file. */
export const usageKindOf = ({ release_id }: Pick<AttachmentRow, 'release_id'>): UsageKind =>
  release_id === null ? 'attachments:issues' : 'attachments:releases'

/** Most files that a text gets at once. */
const maxShown = 100

/** Returns the ids of the files that a text shows, without those beyond the hundredth. */
export const filesShownIn = (text: string): string[] =>
  [...new Set([...text.matchAll(/\/attachments\/([0-9a-f-]{36})(?![0-9a-f-])/g)].map(([, uuid = '']) => uuid))].slice(
    0,
    maxShown,
  )
