import type { Rights } from '../access/rights.ts'
import { allow, deny, type Verdict } from '../lib/verdict.ts'

/** Allows the author of a pull request who may write to its head to let maintainers of the base write there too. */
export const mayAllowMaintainerEdit = (headRights: Pick<Rights, 'canWrite'>): Verdict =>
  headRights.canWrite('code')
    ? allow
    : deny(
        'maintainer_edit_forbidden',
        'only an author with write access to the head branch may allow maintainer edits',
      )
