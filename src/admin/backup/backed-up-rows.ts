import { sha256Of, type BackedUpTable, type BackupFolder, type Chunks } from './backup-folder.ts'
import type { DumpedRow, DumpedTable, DumpedValue } from '../../db/dump.ts'
import type { FileColumn } from '../../access/feature.ts'
import type { StorageKind } from '../../config/storage-settings.ts'
import type { CustomHookName } from '../../git/git-service.ts'
import type { ObjectFormat } from '../../git/git.ts'
import type { GitKey, Oid } from '../../lib/ids.ts'

/** A stored file that rows name: store, key, SHA-256, bytes. Without SHA-256 the instance lacked the file. */
export type StoredFile = readonly [store: StorageKind, key: string, sha256: string | null, sizeBytes: number]

/** A pack: git's checksum, SHA-256 of the pack and of its index, bytes of the pack. */
export type StoredPack = readonly [name: string, sha256: string, indexSha256: string, sizeBytes: number]

/** The objects and hooks of a git repository, and a checksum of its references. Without packs the instance lacked it. */
export type StoredRepository = readonly [
  repoId: number,
  kind: GitKind,
  gitKey: GitKey,
  refsSum: string,
  packs: readonly StoredPack[] | null,
  hooks: readonly (readonly [CustomHookName, string])[],
]

type GitKind = 'code' | 'wiki'

/** The tables of a backup by name. */
export type TableOf = (name: string) => BackedUpTable | undefined

/** Yields store and key of each file that rows name. */
export async function* namedFiles(
  folder: BackupFolder,
  tableOf: TableOf,
  columns: readonly FileColumn[],
): AsyncGenerator<readonly [store: StorageKind, key: string]> {
  for (const { table: name, column, store } of columns) {
    const table = tableOf(name)
    if (table === undefined) continue
    const index = indexOf(table, column)
    for await (const row of folder.rows(table.chunks)) {
      const key = row[index]
      if (typeof key === 'string' && key !== '') yield [store, key]
    }
  }
}

/** A git repository as its rows describe it. */
export interface RepositoryRows {
  readonly repoId: number
  readonly kind: GitKind
  readonly gitKey: GitKey
  readonly head: string
  readonly objectFormat: ObjectFormat
  readonly refs: readonly { readonly name: string; readonly oid: Oid }[]
  /** A checksum of the references. */
  readonly refsSum: string
}

/** Yields the git repositories of the rows with their references, in the order of the ids of their repositories. */
export async function* repositoriesOf(folder: BackupFolder, tableOf: TableOf): AsyncGenerator<RepositoryRows> {
  const repos = tableOf('repo')
  const refs = tableOf('git_ref')
  if (!repos || !refs) return
  const [oid, name] = [indexOf(refs, 'oid'), indexOf(refs, 'name')]
  const ofRepositories = new RowsOfRepositories(folder, refs)
  const at = (column: string): number => indexOf(repos, column)
  const [id, format] = [at('id'), at('object_format')]
  const kinds = [
    { kind: 'code', key: at('git_key'), head: at('default_branch') },
    { kind: 'wiki', key: at('wiki_git_key'), head: at('wiki_branch') },
  ] as const
  for await (const row of folder.rows(repos.chunks)) {
    const repoId = row[id] as number
    for (const { kind, key, head } of kinds) {
      const gitKey = row[key] as GitKey | null
      if (gitKey === null) continue
      const own = await ofRepositories.take(repoId, kind)
      const ownRefs = own.map((each) => ({ name: each[name] as string, oid: each[oid] as Oid }))
      yield {
        repoId,
        kind,
        gitKey,
        head: (row[head] as string) || 'main',
        objectFormat: row[format] as ObjectFormat,
        refs: ownRefs,
        refsSum: sha256Of(JSON.stringify(own)),
      }
    }
  }
}

/** Rows of a table with the columns `repo_id` and `kind`, which begin its key, by repository. */
export class RowsOfRepositories {
  readonly #rows: AsyncIterator<DumpedRow>
  readonly #repoId: number
  readonly #kind: number
  #next: DumpedRow | undefined
  #hasBegun = false

  constructor(folder: BackupFolder, table: DumpedTable & { readonly chunks: Chunks }) {
    this.#rows = folder.rows(table.chunks)[Symbol.asyncIterator]()
    this.#repoId = indexOf(table, 'repo_id')
    this.#kind = indexOf(table, 'kind')
  }

  /** Returns the rows of a git repository. Calls come in the order of the rows. */
  async take(repoId: number, kind: GitKind): Promise<readonly DumpedRow[]> {
    if (!this.#hasBegun) await this.#advance()
    this.#hasBegun = true
    const own: DumpedRow[] = []
    for (let next = this.#next; next !== undefined; next = this.#next) {
      const [rowRepo, rowKind] = [next[this.#repoId] as number, next[this.#kind] as GitKind]
      if (rowRepo > repoId || (rowRepo === repoId && rowKind > kind)) break
      if (rowRepo === repoId && rowKind === kind) own.push(next)
      await this.#advance()
    }
    return own
  }

  async #advance(): Promise<void> {
    const { done, value } = await this.#rows.next()
    this.#next = done === true ? undefined : value
  }
}

/** Returns the place of a column in the rows of a table. */
export function indexOf(table: DumpedTable, column: string): number {
  const index = table.columns.findIndex(({ name }) => name === column)
  if (index < 0) throw new Error(`the table "${table.name}" has no column "${column}"`)
  return index
}

/** Returns the key of a row. */
export const keyOf = (table: DumpedTable): ((row: readonly unknown[]) => readonly DumpedValue[]) => {
  const indexes = table.key.map((column) => indexOf(table, column))
  return (row) => indexes.map((index) => row[index] as DumpedValue)
}
