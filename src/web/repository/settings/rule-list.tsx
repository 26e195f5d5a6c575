import { usePage } from '../../ui/page-context.ts'
import { siteHref } from '../../ui/paths.ts'
import { settingsPath, type PageRepository } from './frame.tsx'

/** What the lists of a rule name. */
export type RuleList = 'writers' | 'readers' | 'teams' | 'checks'

/** Returns the mark of a field whose list scripts complete. The form has the address. */
export const completes = (list: RuleList) => ({ 'data-completes': list })

/** Returns the mark of a form with such fields. */
export const candidatesOf = (repository: PageRepository) => ({
  'data-candidates-url': siteHref(usePage().config, settingsPath(repository, 'candidates')),
})
