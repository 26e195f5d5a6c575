import type { Ctx } from '../access/context.ts'
import { afterCommit, type Tx } from '../db/database.ts'
import type { UserRow } from '../db/tables/accounts.ts'
import type { ImportRow } from '../db/tables/imports.ts'
import type { RepoRow } from '../db/tables/repositories.ts'
import { GiveUp } from '../jobs/job.ts'
import type { UserId } from '../lib/ids.ts'
import { nowUnix, type Unix } from '../lib/time.ts'
import type { RemoteAddress } from '../repos/mirrors/remote-address.rules.ts'
import { nobody } from './hidden-account.service.ts'
import type { PageOf } from './import-page.ts'
import { isUnfinished, updateUnfinished } from './import.store.ts'
import type { Source, SourceAuthor } from './sources/source.ts'
import { stepAfter, type ImportStep, type WantedImport } from './wanted-import.ts'

/** The columns of an import that hold its position. */
export interface StoredPosition extends Pick<ImportRow, 'step' | 'cursor' | 'done_count'> {}

/** Ends a turn of an import that another turn has continued: a process that stood still lost its lease on the job. */
export class LostTurn extends Error {}

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
  /** The position that this turn has read or stored last. */
  readonly stored: StoredPosition
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
  /** Objects that the transaction inserts, and their kind. */
  readonly added?: { readonly kind: ImportStep; readonly count: number }
}

/**
 * Returns the position after a page. After the last page it is the beginning of the next step, so that a resumed import does
 * not repeat the pages of this step.
 */
export function progressAfter({ step, next, doneCount, items }: PageOf<unknown>, count: number): ImportProgress {
  const added = { kind: step, count }
  return next === undefined
    ? { step: stepAfter(step), position: '', doneCount: 0, added }
    : { step, position: next, doneCount: doneCount + items.length, added }
}

/**
 * Stores the position of an import in the transaction that inserts its rows, so that a resumed import repeats none. Throws, and
 * rolls the rows back, when the import has ended meanwhile or another turn has stored a position.
 */
export async function reach(
  tx: Tx,
  run: ImportRun,
  { step, position, doneCount, added }: ImportProgress,
): Promise<void> {
  const counts = { ...run.counts }
  if (added && added.count > 0) counts[added.kind] = (counts[added.kind] ?? 0) + added.count
  const stored: StoredPosition = { step, cursor: position, done_count: doneCount }
  const change = {
    ...stored,
    counts: JSON.stringify(counts),
    notes: JSON.stringify(run.notes),
    updated_unix: nowUnix(run.ctx.clock),
  }
  if (!(await updateUnfinished(tx, run.row.id, change, run.stored))) {
    if (await isUnfinished(tx, run.row.id)) throw new LostTurn(`another turn continues import ${run.row.id}`)
    throw new GiveUp('the import has ended')
  }
  // Not before: a transaction may run more than once.
  afterCommit(tx, () => {
    Object.assign(run.counts, counts)
    Object.assign(run.stored, stored)
  })
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
