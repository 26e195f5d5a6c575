import type { ConfigRemark } from './config-error.ts'
import { nearestWord } from '../lib/nearest-word.ts'
import { familySections, isFamilyKey } from './known-keys.ts'
import type { RawSettings } from './raw-settings.ts'
import { findSetting, listSettings } from './sections.ts'
import { isStorageSection, storageKeys } from './storage-settings.ts'
import { isUnread } from './unread-settings.ts'

/** Sections with user-defined keys. */
export const freeSections = ['git.config', 'mailer.override_header', 'repository.mimetype_mapping'] as const

const storageKeyNames = new Set<string>(Object.values(storageKeys).map((setting) => setting.key))

/** Returns a warning for each key that neither this program nor the family defines; an unknown section names the nearest. */
export function unknownKeys(raw: RawSettings): ConfigRemark[] {
  const known = knownSections()
  return raw.names().flatMap((section) => {
    const unknown = raw.keys(section).filter((value) => !isKnown(section, value.key.toUpperCase()))
    if (unknown.length === 0) return []
    const near = known.includes(section) ? undefined : nearestWord(section, known)
    const reason = `is no setting that anybody knows${near === undefined ? '' : `; did you mean [${near}]?`}`
    return unknown.map((value) => ({ ...value.origin, section, key: value.key, reason }))
  })
}

const knownSections = (): readonly string[] => [
  ...new Set([...listSettings().map(({ section }) => section), ...familySections, ...freeSections]),
]

/** Returns a warning for each known key that has no effect. */
export function idleKeys(raw: RawSettings): ConfigRemark[] {
  return raw.names().flatMap((section) =>
    raw
      .keys(section)
      .filter((value) => isIdle(section, value.key.toUpperCase()))
      .map((value) => ({ ...value.origin, section, key: value.key, reason: 'has no effect in this release' })),
  )
}

function isIdle(section: string, given: string): boolean {
  const key = given.endsWith('_URI') && !findSetting(section, given) ? given.slice(0, -'_URI'.length) : given
  const setting = findSetting(section, key)
  if (setting !== undefined) return isUnread(section, setting.key)
  const isStorageKey = isStorageSection(section) && storageKeyNames.has(key)
  return isFamilyKey(section, key) && !isStorageKey && !freeSections.some((free) => free === section)
}

function isKnown(section: string, key: string): boolean {
  const secretKey = key.endsWith('_URI') ? findSetting(section, key.slice(0, -'_URI'.length)) : undefined
  return (
    freeSections.some((free) => free === section) ||
    findSetting(section, key) !== undefined ||
    secretKey?.isSecret === true ||
    isFamilyKey(section, key) ||
    (isStorageSection(section) && storageKeyNames.has(key))
  )
}
