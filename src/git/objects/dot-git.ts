/** Code points that HFS+ passes over in names. Source: git, `next_hfs_char`. */
const ignoredByHfs = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g

/** What NTFS passes over at the end of a name, and the name of a stream. */
const ntfsEnd = String.raw`[ .]*(?::.*)?$`

const ntfsDotGit = new RegExp(String.raw`^(?:\.git|git~1)${ntfsEnd}`, 'is')

/** The short names that NTFS gives `.gitmodules`: the usual ones, and those of a folder with many such names. */
const shortModules = String.raw`gitmod~[1-4]|gi7eba~[1-9]|gi7eb~[1-9]\d|gi7e~[1-9]\d{2}|gi7~[1-9]\d{3}|gi~[1-9]\d{4}|g~[1-9]\d{5}|~[1-9]\d{6}`
const ntfsModules = new RegExp(String.raw`^(?:\.gitmodules|${shortModules})${ntfsEnd}`, 'is')

const hfsName = (name: string): string => name.replaceAll(ignoredByHfs, '').toLowerCase()

/** A name of a tree as NTFS takes it: a backslash separates folders there. */
const ntfsParts = (name: string): string[] => name.split('\\')

/**
 * Whether HFS+ or NTFS takes the name of a tree entry for `.git`. Source: the rules of git (`core.protectHFS`,
 * `core.protectNTFS`, and `git fsck`).
 */
export const isDotGit = (name: string): boolean =>
  hfsName(name) === '.git' || ntfsParts(name).some((part) => ntfsDotGit.test(part))

/** Whether HFS+ or NTFS takes the name for `.gitmodules` although it is another one. */
export const isDisguisedGitModules = (name: string): boolean =>
  name !== '.gitmodules' && (hfsName(name) === '.gitmodules' || ntfsParts(name).some((part) => ntfsModules.test(part)))
