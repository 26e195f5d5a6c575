import type { Ctx } from '../access/context.ts'
import type { Tx } from '../db/database.ts'
import type { UserRow } from '../db/tables/accounts.ts'
import type { ImportRow } from '../db/tables/imports.ts'
import type { RepoRow } from '../db/tables/repositories.ts'
import { GiveUp } from '../jobs/job.ts'
import type { UserId } from '../lib/ids.ts'
import { nowUnix, type Unix } from '../lib/time.ts'
import type { RemoteAddress } from '../repos/mirrors/remote-address.rules.ts'
import { nobody } from './hidden-account.service.ts'
import { updateUnfinished } from './import.store.ts'
import type { Source, SourceAuthor } from './sources/source.ts'
import type { ImportStep, WantedImport } from './wanted-import.ts'

/** An import in progress in a worker. */
export interface ImportRun {
  readonly ctx: Ctx
  readonly row: ImportRow
  readonly wanted: WantedImport
  readonly remote: RemoteAddress
  /** undefined when only git data are imported. */
  readonly source: Source | undefined
  readonly doer: UserRow
  readonly owner: UserRow
  /** The reserved account. */
  readonly hidden: UserRow
  /** The doer's account on the source server, if the credentials name one. */
  readonly ownAuthor: SourceAuthor | undefined
  readonly signal: AbortSignal
  /** When this worker yields to other imports, in milliseconds of `performance.now()`. */
  readonly turnEndsMs: number
  /** Messages for the doer about skipped or changed objects. */
  readonly notes: string[]
  readonly counts: Record<string, number>
}

/** An import whose hidden repository exists. */
export type RepositoryRun = ImportRun & { readonly repo: RepoRow }

/** Most notes of an import. */
const maxNotes = 100

export function addNote(run: Pick<ImportRun, 'notes'>, note: string): void {
  if (run.notes.length < maxNotes && !run.notes.includes(note)) run.notes.push(note.slice(0, 500))
}

/** The position of an import after a transaction. */
export interface ImportProgress {
  readonly step: ImportStep
  readonly position: string
  readonly doneCount: number
  /** Objects that the transaction inserts. */
  readonly added?: number
}

/**
 * Stores the position of an import in the transaction that inserts its rows, so that a resumed import repeats none. Throws, and
 * rolls the rows back, when the import has ended meanwhile.
 */
export async function reach(
  tx: Tx,
  run: ImportRun,
  { step, position, doneCount, added = 0 }: ImportProgress,
): Promise<void> {
  if (added > 0) run.counts[step] = (run.counts[step] ?? 0) + added
  const updated = await updateUnfinished(tx, run.row.id, {
    step,
    cursor: position,
    done_count: doneCount,
    counts: JSON.stringify(run.counts),
    notes: JSON.stringify(run.notes),
    updated_unix: nowUnix(run.ctx.clock),
  })
  if (!updated) throw new GiveUp('the import has ended')
}

/** Returns the local author of a text: the doer for the account of the credentials, otherwise nobody with the original name. */
export function writerOf(
  run: Pick<ImportRun, 'ownAuthor' | 'doer'>,
  author: SourceAuthor,
): { readonly id: UserId; readonly originalAuthor: string } {
  const isOwn = run.ownAuthor !== undefined && author.id > 0 && author.id === run.ownAuthor.id
  return isOwn ? { id: run.doer.id, originalAuthor: '' } : { id: nobody, originalAuthor: author.name }
}

/** Returns the local account of an author, if there is one. */
export const accountOf = (run: ImportRun, author: SourceAuthor): UserId | undefined => {
  const { id } = writerOf(run, author)
  return id === nobody ? undefined : id
}

/** Returns a time, or the alternative when it is unknown. */
export const timeOr = (unix: Unix, otherwise: Unix): Unix => (unix > 0 ? unix : otherwise)
