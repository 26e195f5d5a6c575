import * as cronSections from './sections/cron.sections.ts'
import * as featureSections from './sections/feature.sections.ts'
import * as repositorySections from './sections/repository.sections.ts'
import * as serverSections from './sections/server.sections.ts'
import * as serviceSections from './sections/service.sections.ts'
import type { SectionValues } from './setting.ts'

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
