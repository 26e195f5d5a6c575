import { printBaseline } from '../schema/baseline.ts'
import type { Migration } from './migration.ts'

export type { Migration }

/**
 * All migrations in the order of their numbers. A new one is a file `<number>-<what it changes>.ts`, last in the list.
 * Before 0.1 is released, a change of the schema changes the declarations that the baseline is printed from. The release
 * replaces `printBaseline()` by its printed text.
 */
export const migrations: readonly Migration[] = [
  {
    number: 1,
    name: 'baseline',
    requires: 1,
    get statements() {
      return printBaseline()
    },
  },
]
