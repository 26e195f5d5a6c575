import type { Services } from '../../access/context.ts'
import type { RepoRow } from '../../db/tables/repositories.ts'
import { parseAttributes } from '../../lib/gitattributes.ts'
import type { Oid } from '../../lib/ids.ts'
import { WorkBudget, WorkTooCostly } from '../../lib/work-budget.ts'
import { attributesOfTree } from '../contents/attributes.service.ts'
import { loadLanguages } from './language-table.ts'
import { countLanguages } from './languages.rules.ts'

/** Files counted per tree; the rest of a larger tree is ignored. */
const maxFiles = 500_000

/** Bytes by language of a commit; none without a commit. */
export async function countLanguagesOf(
  { git }: Pick<Services, 'git'>,
  { git_key: key }: Pick<RepoRow, 'git_key'>,
  commit: Oid | undefined,
): Promise<ReadonlyMap<string, number>> {
  const { entries } = commit
    ? await git.listTreeRecursive(key, commit, { limit: maxFiles, sizes: true })
    : { entries: [] }
  const files = entries
    .filter((entry) => entry.type === 'blob' && entry.mode !== '120000')
    .map((entry) => ({ path: entry.path, sizeBytes: entry.sizeBytes ?? 0 }))
  const table = await loadLanguages()
  // The answer is stored, so it does not depend on other work of the same job.
  const budget = new WorkBudget()
  try {
    return countLanguages(table, files, await attributesOfTree({ git, budget }, key, entries))
  } catch (error) {
    if (!(error instanceof WorkTooCostly)) throw error
    // File names still determine languages.
    return countLanguages(table, files, parseAttributes(new Map(), budget))
  }
}
