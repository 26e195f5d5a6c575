import * as cronSections from './sections/cron.sections.ts'
import * as featureSections from './sections/feature.sections.ts'
import * as repositorySections from './sections/repository.sections.ts'
import * as serverSections from './sections/server.sections.ts'
import * as serviceSections from './sections/service.sections.ts'
import type { Section, SectionValues, Setting } from './setting.ts'

/** Every declared section; a member's name is the camel-case form of the section's, `instance` for the top keys. */
export const sections = {
  ...serverSections,
  ...repositorySections,
  ...serviceSections,
  ...featureSections,
  ...cronSections,
}

/** The declared settings as values, before anything is derived from them. */
export type DeclaredConfig = { readonly [Name in keyof typeof sections]: SectionValues<(typeof sections)[Name]> }

/** The declared settings by section and name; other names of a key lead to the same setting. */
const declared = new Map<string, Setting<unknown>>(
  Object.values(sections).flatMap((section: Section) =>
    Object.values(section.settings).flatMap((setting) =>
      [setting.key, ...setting.aliases].map((key): [string, Setting<unknown>] => [`${section.name}\n${key}`, setting]),
    ),
  ),
)

/** The declaration of a key (upper case) in a section (lower case). */
export const findSetting = (section: string, key: string): Setting<unknown> | undefined =>
  declared.get(`${section}\n${key}`)

/** Every declared setting, for documentation. */
export const listSettings = (): { section: string; setting: Setting<unknown> }[] =>
  Object.values(sections).flatMap((section: Section) =>
    Object.values(section.settings).map((setting) => ({ section: section.name, setting })),
  )
