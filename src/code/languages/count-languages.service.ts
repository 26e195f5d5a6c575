import type { Services } from '../../access/context.ts'
import type { RepoRow } from '../../db/tables/repositories.ts'
import { parseAttributes } from '../../lib/gitattributes.ts'
import type { Oid } from '../../lib/ids.ts'
import { pluck } from '../../lib/pluck.ts'
import { WorkBudget, WorkTooCostly } from '../../lib/work-budget.ts'
import { attributesOfPaths, attributesOfTree } from '../contents/attributes.service.ts'
import { loadLanguages } from './language-table.ts'
import { affectsOthers, changedLanguages, countLanguages } from './languages.rules.ts'

/** Files counted per tree; the rest of a larger tree is ignored. */
const maxFiles = 500_000

/** Differing folders and files above which the whole tree is counted. */
const maxChangedTrees = 500
const maxChangedFiles = 1000

/** What was counted last: bytes by language of a commit. */
export interface LanguageCount {
  readonly commit: Oid
  readonly bytes: ReadonlyMap<string, number>
}

/**
 * Bytes by language of a commit after another count of the repository, from the files that differ. Undefined when the
 * whole tree must be counted: too much differs, or what differs may change the language of other files.
 */
export async function countChangedLanguages(
  { git }: Pick<Services, 'git'>,
  { git_key: key }: Pick<RepoRow, 'git_key'>,
  commit: Oid,
  last: LanguageCount,
): Promise<ReadonlyMap<string, number> | undefined> {
  // Maintenance removes commits that no branch has.
  if ((await git.objectInfo(key, last.commit)) === undefined) return undefined
  const changes = await git.treeChanges(key, last.commit, commit, maxChangedTrees)
  if (changes === undefined || changes.length > maxChangedFiles) return undefined
  if (changes.some(({ path, before, after }) => affectsOthers(path, !before || !after))) return undefined
  const filesOf = (side: 'before' | 'after') =>
    changes.flatMap(({ path, [side]: entry }) =>
      entry?.type === 'blob' && entry.mode !== '120000' ? [{ path, oid: entry.oid }] : [],
    )
  const [before, after] = [filesOf('before'), filesOf('after')]
  const sizes = await git.blobSizes(key, pluck([...before, ...after], 'oid'))
  const budget = new WorkBudget()
  try {
    // The attribute files of both commits are the same.
    const attributes = await attributesOfPaths({ git, budget }, key, commit, pluck(changes, 'path'))
    const table = await loadLanguages()
    const count = (files: typeof before) =>
      countLanguages(
        table,
        files.map(({ path, oid }) => ({ path, sizeBytes: sizes.get(oid) ?? 0 })),
        attributes,
      )
    return changedLanguages(last.bytes, count(before), count(after))
  } catch (error) {
    if (!(error instanceof WorkTooCostly)) throw error
    return undefined
  }
}

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
