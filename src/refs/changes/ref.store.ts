import { sql, type ExpressionBuilder } from 'kysely'
import { bytewise } from '../../db/bytewise.ts'
import type { Db, Tx } from '../../db/database.ts'
import { textList, textListText } from '../../db/id-list.ts'
import type { Schema } from '../../db/schema.ts'
import { jsonTexts } from '../../db/portable.ts'
import type { RepoRow } from '../../db/tables/repositories.ts'
import type { BareRef } from '../../git/git.ts'
import type { GitKey, Oid, RepoId, UserId } from '../../lib/ids.ts'
import { inParts } from '../../lib/in-parts.ts'
import { pluck } from '../../lib/pluck.ts'
import { branchRef } from '../../lib/refs.ts'
import type { Unix } from '../../lib/time.ts'
import type { GitRepository } from '../git-repository.ts'

type Subject = Pick<GitRepository, 'repoId' | 'kind'>

/** A row has up to eight columns; SQLite takes 32,766 parameters. */
const maxRowsPerStatement = 2000

const generationOf = (kind: GitRepository['kind']) => (kind === 'code' ? 'git_generation' : 'wiki_generation')

/**
 * Begins a change of references: locks the repository until the transaction ends and counts the change. Returns the new
 * generation. Undefined: the repository, or its wiki, does not exist.
 */
export async function raiseGeneration(
  tx: Tx,
  { repoId, kind, gitKey }: Pick<GitRepository, 'repoId' | 'kind' | 'gitKey'>,
): Promise<number | undefined> {
  const column = generationOf(kind)
  const row = await tx
    .updateTable('repo')
    .set({ [column]: sql`${sql.ref(column)} + 1` })
    .where('id', '=', repoId)
    .where(kind === 'code' ? 'git_key' : 'wiki_git_key', '=', gitKey)
    .returning(`${column} as generation`)
    .executeTakeFirst()
  return row?.generation
}

/** Gives a git repository another key. A change that began before finds no repository (`raiseGeneration`). */
export const updateGitKey = (tx: Tx, { repoId, kind }: Subject, gitKey: GitKey) =>
  tx
    .updateTable('repo')
    .set(kind === 'code' ? { git_key: gitKey } : { wiki_git_key: gitKey })
    .where('id', '=', repoId)
    .execute()

/** Keeps changes of references waiting until the transaction ends. Returns whether the repository exists. */
export const lockRepo = async (tx: Tx, id: RepoId): Promise<boolean> =>
  (await tx.selectFrom('repo').select('id').where('id', '=', id).forUpdate().executeTakeFirst()) !== undefined

/** Adds bytes of new objects to the size of a repository. Returns whether it is private. */
export async function addGitBytes(tx: Tx, id: RepoId, sizeBytes: number): Promise<boolean> {
  const row = await tx
    .updateTable('repo')
    .set({ git_size_bytes: sql`git_size_bytes + ${sizeBytes}` })
    .where('id', '=', id)
    .returning('is_private')
    .executeTakeFirstOrThrow()
  return row.is_private
}

/** The branches that HEAD names in a repository and its wiki, and whether the repository is empty. */
export type Heads = Pick<RepoRow, 'default_branch' | 'wiki_branch' | 'is_empty'>

export const loadHeads = (tx: Tx, id: RepoId): Promise<Heads> =>
  tx
    .selectFrom('repo')
    .select(['default_branch', 'wiki_branch', 'is_empty'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow()

/** Values of references by full name: all, or those with the names. */
export async function loadRefs(
  db: Db | Tx,
  { repoId, kind }: Subject,
  names?: readonly string[],
): Promise<ReadonlyMap<string, Oid>> {
  let query = db.selectFrom('git_ref').select(['name', 'oid']).where('repo_id', '=', repoId).where('kind', '=', kind)
  if (names) query = query.where('name', 'in', textList(db, textListText(names)))
  return new Map((await query.execute()).map(({ name, oid }) => [name, oid]))
}

/** Deepest references that are listed when names exclude each other. */
const maxListed = 5000

/** Names of present references that new ones exclude: a folder of one, or one below it. */
export async function listExcluded(
  tx: Tx,
  { repoId, kind }: Subject,
  names: readonly string[],
  folders: readonly string[],
): Promise<{ readonly name: string; readonly by: string }[]> {
  const above =
    folders.length === 0
      ? []
      : await tx
          .selectFrom('git_ref')
          .select('name')
          .where('repo_id', '=', repoId)
          .where('kind', '=', kind)
          .where('name', 'in', textList(tx, textListText(folders)))
          .execute()
  const name = bytewise(tx, 'git_ref.name')
  const below = await sql<{ name: string; by: string }>`
    select git_ref.name as name, made.value as ${sql.ref('by')}
    from ${jsonTexts(tx, textListText(names))} as made cross join git_ref
    where git_ref.repo_id = ${repoId} and git_ref.kind = ${kind}
      and ${name} > made.value || '/' and ${name} < made.value || '0'
    limit ${maxListed}`.execute(tx)
  return [
    ...above.map((row) => ({
      name: row.name,
      by: names.find((each) => each.startsWith(`${row.name}/`)) ?? row.name,
    })),
    ...below.rows,
  ]
}

/** Sets references; all zeros are given apart, as `deleteRefs`. */
export async function upsertRefs(tx: Tx, { repoId, kind }: Subject, refs: readonly BareRef[]): Promise<void> {
  for (const part of inParts(refs, maxRowsPerStatement)) {
    await tx
      .insertInto('git_ref')
      .values(part.map(({ name, oid }) => ({ repo_id: repoId, kind, name, oid })))
      .onConflict((conflict) =>
        conflict.columns(['repo_id', 'kind', 'name']).doUpdateSet((set) => ({ oid: set.ref('excluded.oid') })),
      )
      .execute()
  }
}

export async function deleteRefs(tx: Tx, { repoId, kind }: Subject, names: readonly string[]): Promise<void> {
  if (names.length === 0) return
  await tx
    .deleteFrom('git_ref')
    .where('repo_id', '=', repoId)
    .where('kind', '=', kind)
    .where('name', 'in', textList(tx, textListText(names)))
    .execute()
}

/** Whether the row is a branch. Names compare bytewise, as the index does. */
const isBranch = (tx: Db | Tx) => (row: ExpressionBuilder<Schema, 'git_ref'>) =>
  row.and([
    row(bytewise(tx, 'git_ref.name'), '>=', branchRef('')),
    // The character after the slash.
    row(bytewise(tx, 'git_ref.name'), '<', 'refs/heads0'),
  ])

/** The branch `main`, `master` or the first one, as a full name; undefined without branches. */
export const findFirstBranch = async (tx: Tx, { repoId, kind }: Subject): Promise<string | undefined> =>
  (
    await tx
      .selectFrom('git_ref')
      .select('name')
      .where('repo_id', '=', repoId)
      .where('kind', '=', kind)
      .where(isBranch(tx))
      .orderBy(sql`case name when 'refs/heads/main' then 0 when 'refs/heads/master' then 1 else 2 end`)
      .orderBy(bytewise(tx, 'git_ref.name'))
      .limit(1)
      .executeTakeFirst()
  )?.name

/** The generation of a git repository; undefined when no repository has the key. */
export async function findGeneration(db: Db | Tx, key: GitKey) {
  const row = await db
    .selectFrom('repo')
    .select(['id', 'git_key', 'default_branch', 'wiki_branch', 'git_generation', 'wiki_generation'])
    .select('object_format as objectFormat')
    .where((repo) => repo.or([repo('git_key', '=', key), repo('wiki_git_key', '=', key)]))
    .executeTakeFirst()
  if (!row) return undefined
  const found = { repoId: row.id, gitKey: key, objectFormat: row.objectFormat }
  return row.git_key === key
    ? { ...found, kind: 'code' as const, generation: row.git_generation, head: row.default_branch }
    : { ...found, kind: 'wiki' as const, generation: row.wiki_generation, head: row.wiki_branch }
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
  readonly doerId: UserId
  readonly nowUnix: Unix
  /** Whether a git client pushed the references; false for the API. */
  readonly isPushed: boolean
}

/** Writes rows of branches. */
export async function upsertBranches(tx: Tx, recording: Recording, facts: readonly BranchFact[]): Promise<void> {
  for (const part of inParts(facts, maxRowsPerStatement)) {
    await tx
      .insertInto('branch')
      .values(
        part.map(({ name, head }) => ({
          repo_id: recording.repoId,
          name,
          commit_oid: head?.oid ?? ('' as Oid),
          commit_unix: head?.committedUnix ?? 0,
          pusher_id: recording.doerId,
          updated_unix: recording.nowUnix,
          is_deleted: head === undefined,
        })),
      )
      .onConflict((conflict) =>
        conflict.columns(['repo_id', 'name']).doUpdateSet((set) => ({
          commit_oid: set.ref('excluded.commit_oid'),
          commit_unix: set.ref('excluded.commit_unix'),
          pusher_id: set.ref('excluded.pusher_id'),
          updated_unix: set.ref('excluded.updated_unix'),
          is_deleted: set.ref('excluded.is_deleted'),
        })),
      )
      .execute()
  }
}

/** Writes rows of tags; those of deleted ones go. */
export async function upsertTags(tx: Tx, recording: Recording, facts: readonly TagFact[]): Promise<void> {
  const gone = pluck(
    facts.filter(({ target }) => !target),
    'name',
  )
  if (gone.length > 0) {
    await tx
      .deleteFrom('tag')
      .where('repo_id', '=', recording.repoId)
      .where('name', 'in', textList(tx, textListText(gone)))
      .execute()
  }
  const made = facts.flatMap(({ name, target }) => (target ? [{ name, target }] : []))
  for (const part of inParts(made, maxRowsPerStatement)) {
    await tx
      .insertInto('tag')
      .values(
        part.map(({ name, target }) => ({
          repo_id: recording.repoId,
          name,
          oid: target.oid,
          commit_oid: target.commitOid,
          created_unix: target.createdUnix,
          made_unix: recording.isPushed ? 0 : recording.nowUnix,
        })),
      )
      .onConflict((conflict) =>
        conflict.columns(['repo_id', 'name']).doUpdateSet((set) => ({
          oid: set.ref('excluded.oid'),
          commit_oid: set.ref('excluded.commit_oid'),
          created_unix: set.ref('excluded.created_unix'),
          made_unix: set.ref('excluded.made_unix'),
        })),
      )
      .execute()
  }
}

/** Derives `is_empty` from the rows of branches, which must be written before. */
const emptiness = (id: RepoId) => (change: ExpressionBuilder<Schema, 'repo'>) =>
  change
    .not(
      change.exists(
        change
          .selectFrom('branch')
          .select('branch.name')
          .where('branch.repo_id', '=', id)
          .where('branch.is_deleted', '=', false),
      ),
    )
    .$castTo<boolean>()

export const updateEmptiness = (tx: Tx, id: RepoId) =>
  tx
    .updateTable('repo')
    .set((change) => ({ is_empty: emptiness(id)(change) }))
    .where('id', '=', id)
    .execute()

/** Updates the repository after references moved. */
export const updatePushedRepo = (tx: Tx, id: RepoId, updatedUnix: Unix) =>
  tx
    .updateTable('repo')
    .set((change) => ({ is_empty: emptiness(id)(change), updated_unix: updatedUnix }))
    .where('id', '=', id)
    .execute()

/** Sets the branch that HEAD names. */
export const updateHeadBranch = (tx: Tx, { repoId, kind }: Subject, branch: string) =>
  tx
    .updateTable('repo')
    .set(kind === 'code' ? { default_branch: branch } : { wiki_branch: branch })
    .where('id', '=', repoId)
    .execute()

/** Recorded branches and tags by full reference. */
export async function loadRecorded(db: Db | Tx, repoId: RepoId): Promise<ReadonlyMap<string, Oid>> {
  const ofRepo = { repo_id: repoId, is_deleted: false }
  const [branches, tags] = await Promise.all([
    db
      .selectFrom('branch')
      .select(['name', 'commit_oid as oid'])
      .where((row) => row.and(ofRepo))
      .execute(),
    db
      .selectFrom('tag')
      .select(['name', 'oid'])
      .where((row) => row.and(ofRepo))
      .execute(),
  ])
  return new Map([
    ...branches.map(({ name, oid }): [string, Oid] => [branchRef(name), oid]),
    ...tags.map(({ name, oid }): [string, Oid] => [`refs/tags/${name}`, oid]),
  ])
}

/** Deletes rows of branches that were deleted before a time. */
export const deleteTombstones = (tx: Tx, beforeUnix: Unix) =>
  tx.deleteFrom('branch').where('is_deleted', '=', true).where('updated_unix', '<', beforeUnix).execute()
