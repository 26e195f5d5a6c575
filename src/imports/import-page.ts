import type { Batch } from './sources/source.ts'
import type { ImportStep } from './wanted-import.ts'

/** A page of objects with its position. */
export interface PageOf<Item> extends Batch<Item> {
  readonly step: ImportStep
  /** Position of the page. */
  readonly position: string
  readonly doneCount: number
}
