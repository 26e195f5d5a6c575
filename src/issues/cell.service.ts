import { setImmediate } from 'node:timers/promises'
import type { WholeCheck } from '../access/doctor.ts'
import type { Services } from '../access/context.ts'
import { transaction } from '../db/database.ts'
import { countWrongCells, hasMoreCells, listCelled, recountCells, widenCells } from './cell-width.store.ts'

/** Twice as many as a repository has of an order to begin with. The database's triggers know it too (`issues-6`). */
const mostCells = 8192

/** Widens the cells of repositories that have too many. @param most so many of an order are enough */
export async function widenAll({ db }: Pick<Services, 'db'>, most = mostCells): Promise<void> {
  for (const celled of await listCelled(db)) {
    let isWidened = true
    while (isWidened) {
      // oxlint-disable-next-line no-await-in-loop -- those who write wait for one repository at a time
      isWidened = (await hasMoreCells(db, celled, most)) && (await transaction(db, (tx) => widenCells(tx, celled)))
    }
    // oxlint-disable-next-line no-await-in-loop -- SQLite does it in this thread, and requests should not wait for long
    await setImmediate()
  }
}

/** Deep pages of what changed in a time begin where cells say. */
export const cellsCheck: WholeCheck = {
  name: 'cells-of-issues',
  about: 'issues and comments are counted by order and time of change as many as there are',
  async *run({ db }, { fix }) {
    for (const celled of await listCelled(db)) {
      const wrong = await countWrongCells(db, celled)
      if (wrong > 0) {
        if (fix) await transaction(db, (tx) => recountCells(tx, celled))
        const what = `repository ${celled.repo_id}: ${wrong} cells of ${celled.of_comments ? 'comments' : 'issues'} are wrong`
        yield { what, state: fix ? 'fixed' : 'fixable' }
      }
      await setImmediate()
    }
  },
}
