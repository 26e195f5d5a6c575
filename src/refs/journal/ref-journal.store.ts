import { sql, type ExpressionBuilder, type InsertResult } from 'kysely'
import type { Db, Tx } from '../../db/database.ts'
import { textList, textListText } from '../../db/id-list.ts'
import { databaseKind } from '../../db/open.ts'
import { holdProcess } from '../../db/process.store.ts'
import type { Schema } from '../../db/schema.ts'
import type { NewRefJournalRow, RefJournalRow, RepoRow } from '../../db/tables/repositories.ts'
import type { Oid, RepoId, UserId } from '../../lib/ids.ts'
import { branchRef, tagRef } from '../../lib/refs.ts'
import type { Unix } from '../../lib/time.ts'
import type { GitRepository } from '../git-repository.ts'

/** Thrown to a process that lost its lease: it may not begin a change in this name. */
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

/** Keeps other transactions that do the same from a repository until this one ends. */
export async function lockRepo(tx: Tx, id: RepoId): Promise<void> {
  const row = tx.selectFrom('repo').select('id').where('id', '=', id)
  if (databaseKind(tx) === 'postgres') await row.forUpdate().execute()
}

/** The changes of a git repository that are not settled. */
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

/** @returns whether it was there: only who removes an entry records its effects */
export const deleteJournal = async (tx: Tx, id: number): Promise<boolean> =>
  (await tx.deleteFrom('ref_journal').where('id', '=', id).executeTakeFirst()).numDeletedRows > 0n

export const findJournal = (db: Db, id: number): Promise<RefJournalRow | undefined> =>
  db.selectFrom('ref_journal').selectAll().where('id', '=', id).executeTakeFirst()

/** An entry of a git repository and what was begun there after it, oldest first. */
export const listJournalFrom = (db: Db, { repoId, kind }: GitRepository, id: number): Promise<RefJournalRow[]> =>
  db
    .selectFrom('ref_journal')
    .selectAll()
    .where('repo_id', '=', repoId)
    .where('kind', '=', kind)
    .where('id', '>=', id)
    .orderBy('id')
    .execute()

/** What was begun in a git repository before an entry and is not recorded. */
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

/** Whether a change whose effect is about a subject waits to be settled. */
export const hasUnsettled = async (tx: Tx, repoId: RepoId, subject: string): Promise<boolean> =>
  (await tx
    .selectFrom('ref_journal')
    .select('id')
    .where('repo_id', '=', repoId)
    .where('subject', '=', subject)
    .executeTakeFirst()) !== undefined

/** Adds lines to what is noted on entries, which may be gone meanwhile. */
export async function addFollowed(tx: Tx, ids: readonly number[], lines: string): Promise<void> {
  // Newest first, like everybody who holds an entry and waits for older ones.
  const held = tx.selectFrom('ref_journal').select('id').where('id', 'in', ids).orderBy('id', 'desc')
  if (databaseKind(tx) === 'postgres') await held.forUpdate().execute()
  await tx
    .updateTable('ref_journal')
    .set((entry) => ({ followed: sql<string>`${entry.ref('followed')} || ${lines}` }))
    .where('id', 'in', ids)
    .execute()
}

/** The process of the entry is gone, or the entry is old. */
const isLeft = (entry: ExpressionBuilder<Schema, 'ref_journal'>, { orUnix }: { readonly orUnix: Unix }) =>
  entry.or([
    entry('ref_journal.created_unix', '<=', orUnix),
    entry.not(
      entry.exists(
        entry.selectFrom('process').select('process.id').whereRef('process.id', '=', 'ref_journal.process_id'),
      ),
    ),
  ])

/** Which entries are to be settled: all, or those whose process is gone and those older than a moment. */
export type Leftovers = 'all' | { readonly orUnix: Unix }

/** Entries that somebody left behind, oldest first, after an id. */
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

/** What is recorded of branches and tags that exist, by full reference; of all of them, or of those with some names. */
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
  /** True for what git's clients sent, false for what requests asked for. */
  readonly isPushed: boolean
}

/** Eight columns; a statement has at most 32,766 parameters on SQLite. */
const maxRowsPerStatement = 2000

/** Writes rows by as many statements as it takes. @returns whether all were written */
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
 * Writes what became of branches, unless something newer was recorded already.
 * @returns whether all were written
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
 * Writes what became of tags, unless something newer was recorded already.
 * @returns whether all were written
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

/** Whether a repository is empty follows from the rows of its branches, which are written before. */
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

/** What follows for the repository when references moved. */
export async function updatePushedRepo(tx: Tx, id: RepoId, updatedUnix: Unix): Promise<void> {
  await updateEmptiness(tx, id)
  await tx.updateTable('repo').set({ updated_unix: updatedUnix }).where('id', '=', id).execute()
}

/** @returns false when the repository has got branches meanwhile: then its default branch stays */
export const updateFirstDefaultBranch = async (tx: Tx, id: RepoId, branch: string): Promise<boolean> =>
  (
    await tx
      .updateTable('repo')
      .set({ default_branch: branch })
      .where('id', '=', id)
      .where('is_empty', '=', true)
      .executeTakeFirst()
  ).numUpdatedRows > 0n

/** Always true: of two first pushes to a wiki the one that is recorded last decides. */
export async function updateWikiBranch(tx: Tx, id: RepoId, branch: string): Promise<true> {
  await tx.updateTable('repo').set({ wiki_branch: branch }).where('id', '=', id).execute()
  return true
}

/** The branches that the HEADs of a repository and of its wiki name, and whether there are branches at all. */
export const findHeadBranches = (
  db: Db,
  id: RepoId,
): Promise<Pick<RepoRow, 'is_empty' | 'default_branch' | 'wiki_branch'> | undefined> =>
  db.selectFrom('repo').select(['is_empty', 'default_branch', 'wiki_branch']).where('id', '=', id).executeTakeFirst()

/** Id of the oldest change that is not recorded yet. */
export const findOldestJournalId = async (db: Db | Tx): Promise<number | undefined> =>
  (
    await db
      .selectFrom('ref_journal')
      .select((row) => row.fn.min<number | null>('id').as('id'))
      .executeTakeFirst()
  )?.id ?? undefined

/**
 * Forgets branches and tags that were deleted before a moment, and that no change which is recorded late can bring back.
 * @param oldestJournalId the oldest change that is not recorded yet; undefined: there is none
 */
export async function deleteTombstones(tx: Tx, beforeUnix: Unix, oldestJournalId: number | undefined): Promise<void> {
  const latest = oldestJournalId ?? Number.MAX_SAFE_INTEGER
  await tx
    .deleteFrom('branch')
    .where('is_deleted', '=', true)
    .where('updated_unix', '<', beforeUnix)
    .where('journal_id', '<', latest)
    .execute()
  // Tags that are gone are told to nobody, so they need not stay for a while.
  await tx.deleteFrom('tag').where('is_deleted', '=', true).where('journal_id', '<', latest).execute()
}
