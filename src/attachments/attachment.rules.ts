import type { AttachmentRow } from '../db/tables/issues.ts'
import type { UsageKind } from '../access/quota/quota.rules.ts'

/** Extensions and media types that may be attached; nothing listed means all. */
export interface AllowedTypes {
  readonly extensions: ReadonlySet<string>
  /** `image/*` is kept as `image/`. */
  readonly mediaTypes: readonly string[]
  readonly isAny: boolean
}

/** Reads a list of `.png`, `text/plain`, `image/*` and any type, separated by commas. */
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

/** Whether a file may be attached, by the end of its name or by what its first bytes say it is. */
export function mayAttach(allowed: AllowedTypes, name: string, contentType: string): boolean {
  if (allowed.isAny) return true
  const extension = /\.[^./\\]+$/.exec(name.toLowerCase())?.[0]
  if (extension !== undefined && allowed.extensions.has(extension)) return true
  const type = (contentType.split(';')[0] as string).trim().toLowerCase()
  return allowed.mediaTypes.some((each) => (each.endsWith('/') ? type.startsWith(each) : type === each))
}

/**
 * What no name of a file holds: control characters, and those that turn the direction of writing, by which `exe.txt` is
 * shown where the name ends in `txt.exe`.
 */
const hiddenCharacters = /[\p{Cc}\u202a-\u202e\u2066-\u2069\u2028\u2029]/gu

/** Longest name of a file, in characters. */
const maxNameLength = 255

/**
 * The name that a file is kept under, of the one it was sent with: the part after the last slash of either kind, without
 * characters that nobody sees. '' when nothing is left of it.
 */
export function attachedName(name: string): string {
  const last = name.toWellFormed().split(/[\\/]/).at(-1) as string
  const shown = Array.from(last.replace(hiddenCharacters, '').trim()).slice(0, maxNameLength).join('').trim()
  return shown === '.' || shown === '..' ? '' : shown
}

/** What a file is charged as. */
export const usageKindOf = ({ release_id }: Pick<AttachmentRow, 'release_id'>): UsageKind =>
  release_id === null ? 'attachments:issues' : 'attachments:releases'
