import * as cronSections from './sections/cron.sections.ts'
import * as featureSections from './sections/feature.sections.ts'
import * as repositorySections from './sections/repository.sections.ts'
import * as serverSections from './sections/server.sections.ts'
import * as serviceSections from './sections/service.sections.ts'
import type { Section, SectionValues, Setting } from './setting.ts'

/**
 * All declared sections. A member is named by the camel-case form of its section; `instance` holds the top-level keys.
 */
export const sections = {
  ...serverSections,
  ...repositorySections,
  ...serviceSections,
  ...featureSections,
  ...cronSections,
}

/** The values of the declared settings, before derived values are added. */
export type DeclaredConfig = { readonly [Name in keyof typeof sections]: SectionValues<(typeof sections)[Name]> }

/** The declared settings by section and key. Aliases of a key map to the same setting. */
const declared = new Map<string, Setting<unknown>>(
  Object.values(sections).flatMap((section: Section) =>
    Object.values(section.settings).flatMap((setting) =>
      [setting.key, ...setting.aliases].map((key): [string, Setting<unknown>] => [`${section.name}\n${key}`, setting]),
    ),
  ),
)

/** Returns the declaration of a key (upper case) in a section (lower case). */
export const findSetting = (section: string, key: string): Setting<unknown> | undefined =>
  declared.get(`${section}\n${key}`)

/** All declared settings, for documentation. */
export const listSettings = (): { section: string; setting: Setting<unknown> }[] =>
  Object.values(sections).flatMap((section: Section) =>
    Object.values(section.settings).map((setting) => ({ section: section.name, setting })),
  )
