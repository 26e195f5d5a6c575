/** Code points that HFS+ ignores in names. Source: git, `next_hfs_char`. */
const ignoredByHfs = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g

/** The end of a name that NTFS ignores, and a stream name. */
const ntfsEnd = String.raw`[ .]*(?::.*)?$`

const ntfsDotGit = new RegExp(String.raw`^(?:\.git|git~1)${ntfsEnd}`, 'is')

/** The NTFS short names of `.gitmodules`: the usual ones, and those in a folder with many similar names. */
const shortModules = String.raw`gitmod~[1-4]|gi7eba~[1-9]|gi7eb~[1-9]\d|gi7e~[1-9]\d{2}|gi7~[1-9]\d{3}|gi~[1-9]\d{4}|g~[1-9]\d{5}|~[1-9]\d{6}`
const ntfsModules = new RegExp(String.raw`^(?:\.gitmodules|${shortModules})${ntfsEnd}`, 'is')

const hfsName = (name: string): string => name.replaceAll(ignoredByHfs, '').toLowerCase()

/** NTFS reads a backslash as a folder separator. */
const ntfsParts = (name: string): string[] => name.split('\\')

/**
 * Whether HFS+ or NTFS reads the name of a tree entry as `.git`. Source: git, `core.protectHFS`, `core.protectNTFS`,
 * `git fsck`.
 */
export const isDotGit = (name: string): boolean =>
  hfsName(name) === '.git' || ntfsParts(name).some((part) => ntfsDotGit.test(part))

/** Whether HFS+ or NTFS reads a different name as `.gitmodules`. */
export const isDisguisedGitModules = (name: string): boolean =>
  name !== '.gitmodules' && (hfsName(name) === '.gitmodules' || ntfsParts(name).some((part) => ntfsModules.test(part)))
