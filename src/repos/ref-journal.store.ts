import type { Db, Tx } from '../db/database.ts'
import type { RepoRow } from '../db/tables/repositories.ts'
import type { Oid, RepoId, UserId } from '../lib/ids.ts'
import type { Unix } from '../lib/time.ts'

export const insertJournal = async (
  tx: Tx,
  values: { repo_id: RepoId; updates: string; origin: string; created_unix: Unix },
): Promise<number> => (await tx.insertInto('ref_journal').values(values).returning('id').executeTakeFirstOrThrow()).id

/** @returns whether it was there: only who removes an entry records its effects */
export const deleteJournal = async (tx: Tx, id: number): Promise<boolean> =>
  (await tx.deleteFrom('ref_journal').where('id', '=', id).executeTakeFirst()).numDeletedRows > 0n

/** Entries older than a moment, oldest first, after an id. */
export const listJournal = (db: Db, beforeUnix: Unix, afterId: number, limit: number) =>
  db
    .selectFrom('ref_journal')
    .selectAll()
    .where('created_unix', '<=', beforeUnix)
    .where('id', '>', afterId)
    .orderBy('id')
    .limit(limit)
    .execute()

export async function loadJournalRepos(db: Db, ids: readonly RepoId[]): Promise<ReadonlyMap<RepoId, RepoRow>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('repo')
    .selectAll()
    .where('id', 'in', [...new Set(ids)])
    .execute()
  return new Map(rows.map((row) => [row.id, row]))
}

/** Which recorded change of each branch or tag was the last. */
export const listRecorded = (db: Db, table: 'branch' | 'tag', repoId: RepoId, names: readonly string[]) =>
  db.selectFrom(table).select(['name', 'journal_id']).where('repo_id', '=', repoId).where('name', 'in', names).execute()

export interface BranchFact {
  readonly name: string
  /** undefined: it was deleted. */
  readonly head: { readonly oid: Oid; readonly committedUnix: Unix } | undefined
}

export interface TagFact {
  readonly name: string
  readonly target: { readonly oid: Oid; readonly commitOid: Oid; readonly createdUnix: Unix } | undefined
}

interface Recording {
  readonly repoId: RepoId
  readonly journalId: number
  readonly doerId: UserId
  readonly nowUnix: Unix
}

/** Writes what became of branches, unless something newer was recorded already. */
export async function upsertBranches(tx: Tx, recording: Recording, branches: readonly BranchFact[]): Promise<void> {
  if (branches.length === 0) return
  await tx
    .insertInto('branch')
    .values(
      branches.map(({ name, head }) => ({
        repo_id: recording.repoId,
        name,
        commit_oid: head?.oid ?? ('' as Oid),
        commit_unix: head?.committedUnix ?? 0,
        pusher_id: recording.doerId,
        updated_unix: recording.nowUnix,
        is_deleted: head === undefined,
        journal_id: recording.journalId,
      })),
    )
    .onConflict((conflict) =>
      conflict
        .columns(['repo_id', 'name'])
        .doUpdateSet((set) => ({
          commit_oid: set.ref('excluded.commit_oid'),
          commit_unix: set.ref('excluded.commit_unix'),
          pusher_id: set.ref('excluded.pusher_id'),
          updated_unix: set.ref('excluded.updated_unix'),
          is_deleted: set.ref('excluded.is_deleted'),
          journal_id: set.ref('excluded.journal_id'),
        }))
        .where('branch.journal_id', '<=', recording.journalId),
    )
    .execute()
}

/** Writes what became of tags, unless something newer was recorded already. */
export async function upsertTags(tx: Tx, recording: Recording, tags: readonly TagFact[]): Promise<void> {
  if (tags.length === 0) return
  await tx
    .insertInto('tag')
    .values(
      tags.map(({ name, target }) => ({
        repo_id: recording.repoId,
        name,
        oid: target?.oid ?? ('' as Oid),
        commit_oid: target?.commitOid ?? ('' as Oid),
        created_unix: target?.createdUnix ?? 0,
        is_deleted: target === undefined,
        journal_id: recording.journalId,
      })),
    )
    .onConflict((conflict) =>
      conflict
        .columns(['repo_id', 'name'])
        .doUpdateSet((set) => ({
          oid: set.ref('excluded.oid'),
          commit_oid: set.ref('excluded.commit_oid'),
          created_unix: set.ref('excluded.created_unix'),
          is_deleted: set.ref('excluded.is_deleted'),
          journal_id: set.ref('excluded.journal_id'),
        }))
        .where('tag.journal_id', '<=', recording.journalId),
    )
    .execute()
}

export const updatePushedRepo = (
  tx: Tx,
  id: RepoId,
  change: { is_empty: boolean; default_branch: string; updated_unix: Unix },
) => tx.updateTable('repo').set(change).where('id', '=', id).execute()

/** Forgets deleted branches and tags that nothing late can bring back any more. */
export async function deleteTombstones(tx: Tx, beforeUnix: Unix, oldestJournalId: number): Promise<void> {
  await tx
    .deleteFrom('branch')
    .where('is_deleted', '=', true)
    .where('updated_unix', '<', beforeUnix)
    .where('journal_id', '<', oldestJournalId)
    .execute()
  await tx.deleteFrom('tag').where('is_deleted', '=', true).where('journal_id', '<', oldestJournalId).execute()
}
