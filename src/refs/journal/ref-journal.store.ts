import { sql, type ExpressionBuilder, type InsertResult } from 'kysely'
import type { Db, Tx } from '../../db/database.ts'
import { textList, textListText } from '../../db/id-list.ts'
import { holdProcess } from '../../db/process.store.ts'
import type { Schema } from '../../db/schema.ts'
import { changesRow, hasRow } from '../../db/rows.ts'
import type { NewRefJournalRow, RefJournalRow, RepoRow } from '../../db/tables/repositories.ts'
import type { Oid, RepoId, UserId } from '../../lib/ids.ts'
import { branchRef, tagRef } from '../../lib/refs.ts'
import type { Unix } from '../../lib/time.ts'
import type { GitRepository } from '../git-repository.ts'

/** Thrown when the process has lost its lease and may not begin a change. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost'
}

/** @throws LeaseLost */
export async function insertJournal(
  tx: Tx,
  values: NewRefJournalRow & { readonly process_id: string },
): Promise<number> {
  if (!(await holdProcess(tx, values.process_id))) throw new LeaseLost()
  return (await tx.insertInto('ref_journal').values(values).returning('id').executeTakeFirstOrThrow()).id
}

/** Serializes transactions that lock the same repository. */
export async function lockRepo(tx: Tx, id: RepoId): Promise<void> {
  await tx.selectFrom('repo').select('id').where('id', '=', id).forUpdate().execute()
}

/** Unsettled changes of a git repository. */
export const listOpenUpdates = (
  db: Db | Tx,
  { repoId, kind }: Pick<GitRepository, 'repoId' | 'kind'>,
): Promise<Pick<RefJournalRow, 'id' | 'updates'>[]> =>
  db
    .selectFrom('ref_journal')
    .select(['id', 'updates'])
    .where('repo_id', '=', repoId)
    .where('kind', '=', kind)
    .execute()

/** @returns whether the entry existed: only the transaction that deletes it records its effects */
export const deleteJournal = (tx: Tx, id: number): Promise<boolean> =>
  changesRow(tx.deleteFrom('ref_journal').where('id', '=', id))

export const findJournal = (db: Db, id: number): Promise<RefJournalRow | undefined> =>
  db.selectFrom('ref_journal').selectAll().where('id', '=', id).executeTakeFirst()

/** An entry and the later entries of its git repository, oldest first. */
export const listJournalFrom = (db: Db, { repoId, kind }: GitRepository, id: number): Promise<RefJournalRow[]> =>
  db
    .selectFrom('ref_journal')
    .selectAll()
    .where('repo_id', '=', repoId)
    .where('kind', '=', kind)
    .where('id', '>=', id)
    .orderBy('id')
    .execute()

/** Unsettled entries of a git repository before an entry. */
export const listJournalBefore = (
  tx: Tx,
  { repoId, kind }: GitRepository,
  id: number,
): Promise<Pick<RefJournalRow, 'id' | 'updates'>[]> =>
  tx
    .selectFrom('ref_journal')
    .select(['id', 'updates'])
    .where('repo_id', '=', repoId)
    .where('kind', '=', kind)
    .where('id', '<', id)
    .execute()

/** Whether an unsettled change has an effect about the subject. */
export const hasUnsettled = (tx: Tx, repoId: RepoId, subject: string): Promise<boolean> =>
  hasRow(tx.selectFrom('ref_journal').where('repo_id', '=', repoId).where('subject', '=', subject))

/** Appends lines to the notes of entries that still exist. */
export async function addFollowed(tx: Tx, ids: readonly number[], lines: string): Promise<void> {
  // Newest first: all transactions lock entries in this order.
  await tx.selectFrom('ref_journal').select('id').where('id', 'in', ids).orderBy('id', 'desc').forUpdate().execute()
  await tx
    .updateTable('ref_journal')
    .set((entry) => ({ followed: sql<string>`${entry.ref('followed')} || ${lines}` }))
    .where('id', 'in', ids)
    .execute()
}

/** Whether the process of the entry is gone or the entry is old. */
const isLeft = (entry: ExpressionBuilder<Schema, 'ref_journal'>, { orUnix }: { readonly orUnix: Unix }) =>
  entry.or([
    entry('ref_journal.created_unix', '<=', orUnix),
    entry.not(
      entry.exists(
        entry.selectFrom('process').select('process.id').whereRef('process.id', '=', 'ref_journal.process_id'),
      ),
    ),
  ])

/** Entries to settle: all, or those of dead processes and those older than a time. */
export type Leftovers = 'all' | { readonly orUnix: Unix }

/** Entries to settle after an id, oldest first. */
export const listLeftovers = (db: Db, which: Leftovers, afterId: number, limit: number): Promise<RefJournalRow[]> =>
  db
    .selectFrom('ref_journal')
    .selectAll()
    .$if(which !== 'all', (entries) => entries.where((entry) => isLeft(entry, which as { orUnix: Unix })))
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

/** Recorded branches and tags by full reference: all, or those with the names. */
export async function loadRecorded(
  db: Db | Tx,
  repoId: RepoId,
  names?: { readonly branches: readonly string[]; readonly tags: readonly string[] },
): Promise<ReadonlyMap<string, Oid>> {
  const ofRepo = { repo_id: repoId, is_deleted: false }
  let ofBranches = db
    .selectFrom('branch')
    .select(['name', 'commit_oid as oid'])
    .where((row) => row.and(ofRepo))
  let ofTags = db
    .selectFrom('tag')
    .select(['name', 'oid'])
    .where((row) => row.and(ofRepo))
  if (names) {
    ofBranches = ofBranches.where('name', 'in', textList(db, textListText(names.branches)))
    ofTags = ofTags.where('name', 'in', textList(db, textListText(names.tags)))
  }
  const [branches, tags] = await Promise.all([
    names?.branches.length === 0 ? [] : ofBranches.execute(),
    names?.tags.length === 0 ? [] : ofTags.execute(),
  ])
  return new Map([
    ...branches.map(({ name, oid }): [string, Oid] => [branchRef(name), oid]),
    ...tags.map(({ name, oid }): [string, Oid] => [tagRef(name), oid]),
  ])
}

export interface BranchFact {
  readonly name: string
  /** undefined for a deleted branch. */
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
  /** Whether a git client pushed the references; false for the API. */
  readonly isPushed: boolean
}

/** A row has eight columns; SQLite takes 32,766 parameters. */
const maxRowsPerStatement = 2000

/**
 * Writes rows in several statements.
 * @returns whether all rows were written
 */
async function writeParts<Fact>(
  facts: readonly Fact[],
  write: (part: readonly Fact[]) => Promise<InsertResult>,
): Promise<boolean> {
  let written = 0n
  for (let start = 0; start < facts.length; start += maxRowsPerStatement) {
    const { numInsertedOrUpdatedRows } = await write(facts.slice(start, start + maxRowsPerStatement))
    written += numInsertedOrUpdatedRows ?? 0n
  }
  return Number(written) === facts.length
}

/**
 * Writes rows of branches unless a newer change was recorded.
 * @returns whether all rows were written
 */
export const upsertBranches = (tx: Tx, recording: Recording, facts: readonly BranchFact[]): Promise<boolean> =>
  writeParts(facts, (branches) =>
    tx
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
      .executeTakeFirstOrThrow(),
  )

/**
 * Writes rows of tags unless a newer change was recorded.
 * @returns whether all rows were written
 */
export const upsertTags = (tx: Tx, recording: Recording, facts: readonly TagFact[]): Promise<boolean> =>
  writeParts(facts, (tags) =>
    tx
      .insertInto('tag')
      .values(
        tags.map(({ name, target }) => ({
          repo_id: recording.repoId,
          name,
          oid: target?.oid ?? ('' as Oid),
          commit_oid: target?.commitOid ?? ('' as Oid),
          created_unix: target?.createdUnix ?? 0,
          made_unix: recording.isPushed ? 0 : recording.nowUnix,
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
            made_unix: set.ref('excluded.made_unix'),
            is_deleted: set.ref('excluded.is_deleted'),
            journal_id: set.ref('excluded.journal_id'),
          }))
          .where('tag.journal_id', '<=', recording.journalId),
      )
      .executeTakeFirstOrThrow(),
  )

/** Derives `is_empty` from the rows of branches, which must be written before. */
export const updateEmptiness = (tx: Tx, id: RepoId) =>
  tx
    .updateTable('repo')
    .set((change) => ({
      is_empty: change
        .not(
          change.exists(
            change
              .selectFrom('branch')
              .select('branch.name')
              .where('branch.repo_id', '=', id)
              .where('branch.is_deleted', '=', false),
          ),
        )
        .$castTo<boolean>(),
    }))
    .where('id', '=', id)
    .execute()

/** Updates the repository after references moved. */
export async function updatePushedRepo(tx: Tx, id: RepoId, updatedUnix: Unix): Promise<void> {
  await updateEmptiness(tx, id)
  await tx.updateTable('repo').set({ updated_unix: updatedUnix }).where('id', '=', id).execute()
}

/**
 * Sets the default branch of an empty repository, or of one whose default branch is the `lost` one.
 * @returns false when the default branch stays
 */
export const updateLostDefaultBranch = (
  tx: Tx,
  id: RepoId,
  branch: string,
  lost: string | undefined,
): Promise<boolean> =>
  changesRow(
    tx
      .updateTable('repo')
      .set({ default_branch: branch })
      .where('id', '=', id)
      .where((eb) =>
        eb.or([eb('is_empty', '=', true), ...(lost === undefined ? [] : [eb('default_branch', '=', lost)])]),
      ),
  )

/** @returns always true: of two first pushes to a wiki the last one recorded decides */
export async function updateWikiBranch(tx: Tx, id: RepoId, branch: string): Promise<true> {
  await tx.updateTable('repo').set({ wiki_branch: branch }).where('id', '=', id).execute()
  return true
}

/** The branches that HEAD names in the repository and its wiki, and whether the repository is empty. */
export const findHeadBranches = (
  db: Db,
  id: RepoId,
): Promise<Pick<RepoRow, 'is_empty' | 'default_branch' | 'wiki_branch'> | undefined> =>
  db.selectFrom('repo').select(['is_empty', 'default_branch', 'wiki_branch']).where('id', '=', id).executeTakeFirst()

/** Id of the oldest unsettled entry. */
export const findOldestJournalId = async (db: Db | Tx): Promise<number | undefined> =>
  (
    await db
      .selectFrom('ref_journal')
      .select((row) => row.fn.min<number | null>('id').as('id'))
      .executeTakeFirst()
  )?.id ?? undefined

/**
 * Deletes rows of branches and tags that were deleted before a time and that no unsettled change can restore.
 * @param oldestJournalId the oldest unsettled entry, if there is one
 */
export async function deleteTombstones(tx: Tx, beforeUnix: Unix, oldestJournalId: number | undefined): Promise<void> {
  const latest = oldestJournalId ?? Number.MAX_SAFE_INTEGER
  await tx
    .deleteFrom('branch')
    .where('is_deleted', '=', true)
    .where('updated_unix', '<', beforeUnix)
    .where('journal_id', '<', latest)
    .execute()
  // Deleted tags are shown nowhere, so their rows go at once.
  await tx.deleteFrom('tag').where('is_deleted', '=', true).where('journal_id', '<', latest).execute()
}
