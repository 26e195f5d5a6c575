import type { Rights } from '../access/rights.ts'
import type { ReleaseRow } from '../db/tables/releases.ts'
import { allow, deny, type Verdict } from '../lib/verdict.ts'

/** A draft needs write access to releases. Without it, the draft counts as missing. */
export const mayReadDrafts = (rights: Pick<Rights, 'canWrite'>): Verdict =>
  rights.canWrite('releases') ? allow : deny('release_drafts_hidden', 'drafts are seen by those who write releases')

export const mayReadRelease = (
  rights: Pick<Rights, 'canRead' | 'canWrite'>,
  release: Pick<ReleaseRow, 'is_draft'>,
): Verdict => {
  if (release.is_draft) return mayReadDrafts(rights)
  return rights.canRead('releases') ? allow : deny('releases_not_readable', 'you may not read releases')
}
