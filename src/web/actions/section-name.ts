import { actionsTexts } from '../languages/texts.ts'
import type { LogSection } from './log-sections.rules.ts'

const texts = actionsTexts.job

/** Returns the name of a section of a log: that of its step, or what it is. */
export const sectionName = (section: LogSection): string =>
  section.kind === 'step' ? section.name || texts.unnamed(section.number) : texts[section.kind]
