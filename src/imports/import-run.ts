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

/** An import while a worker has it. */
export interface ImportRun {
  readonly ctx: Ctx
  readonly row: ImportRow
  readonly wanted: WantedImport
  readonly remote: RemoteAddress
  /** undefined when no API is asked. */
  readonly source: Source | undefined
  readonly doer: UserRow
  readonly owner: UserRow
  /** The account of nobody. */
  readonly hidden: UserRow
  /** Who the doer is over there, when the credentials said so. */
  readonly ownAuthor: SourceAuthor | undefined
  readonly signal: AbortSignal
  /** When this worker lets others have a turn, in milliseconds of `performance.now()`. */
  readonly turnEndsMs: number
  /** What was left out or changed, in words for the doer. */
  readonly notes: string[]
  readonly counts: Record<string, number>
}

/** Of an import whose repository is there already. */
export type FilledRun = ImportRun & { readonly repo: RepoRow }

/** Most notes of an import. */
const maxNotes = 100

export function addNote(run: Pick<ImportRun, 'notes'>, note: string): void {
  if (run.notes.length < maxNotes && !run.notes.includes(note)) run.notes.push(note.slice(0, 500))
}

/** Where an import goes on after what the transaction writes. */
export interface Reached {
  readonly step: ImportStep
  readonly place: string
  readonly doneCount: number
  /** Things of the step's kind that the transaction writes. */
  readonly added?: number
}

/**
 * Part of a transaction that writes imported rows: notes how far the import has come, so that whoever goes on after a crash
 * writes none of them twice. Throws when the import is over meanwhile, and nothing is written.
 */
export async function reach(tx: Tx, run: ImportRun, { step, place, doneCount, added = 0 }: Reached): Promise<void> {
  if (added > 0) run.counts[step] = (run.counts[step] ?? 0) + added
  const updated = await updateUnfinished(tx, run.row.id, {
    step,
    place,
    done_count: doneCount,
    counts: JSON.stringify(run.counts),
    notes: JSON.stringify(run.notes),
    updated_unix: nowUnix(run.ctx.clock),
  })
  if (!updated) throw new GiveUp('the import is over')
}

/** Whose a text becomes: the doer's own, where the credentials showed that it is, else nobody's, kept by name. */
export function writerOf(
  run: Pick<ImportRun, 'ownAuthor' | 'doer'>,
  author: SourceAuthor,
): { readonly id: UserId; readonly originalAuthor: string } {
  const isOwn = run.ownAuthor !== undefined && author.id > 0 && author.id === run.ownAuthor.id
  return isOwn ? { id: run.doer.id, originalAuthor: '' } : { id: nobody, originalAuthor: author.name }
}

/** The account of an author, where it is known. */
export const accountOf = (run: ImportRun, author: SourceAuthor): UserId | undefined => {
  const { id } = writerOf(run, author)
  return id === nobody ? undefined : id
}

/** A time as it is kept: one that was not told is now. */
export const timeOr = (unix: Unix, otherwise: Unix): Unix => (unix > 0 ? unix : otherwise)
