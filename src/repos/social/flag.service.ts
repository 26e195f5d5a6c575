import type { RepoCtx } from '../../access/context.ts'
import { transaction } from '../../db/database.ts'
import { NotFound } from '../../lib/errors.ts'
import { deleteFlags, insertFlags, listFlags } from './flag.store.ts'

export const flagsOf = (ctx: RepoCtx): Promise<string[]> => listFlags(ctx.db, ctx.repo.id)

/** Throws `NotFound` unless the repository has the flag. */
export async function checkFlag(ctx: RepoCtx, name: string): Promise<void> {
  if (!(await flagsOf(ctx)).includes(name)) {
    throw new NotFound('the repository does not have the flag', 'flag_not_found')
  }
}

/** Replaces the flags of the repository. */
export const replaceFlags = (ctx: RepoCtx, names: readonly string[]): Promise<void> =>
  transaction(ctx.db, async (tx) => {
    await deleteFlags(tx, ctx.repo.id)
    await insertFlags(tx, ctx.repo.id, [...new Set(names)])
  })

export const addFlag = (ctx: RepoCtx, name: string): Promise<void> =>
  transaction(ctx.db, (tx) => insertFlags(tx, ctx.repo.id, [name]))

export async function removeFlag(ctx: RepoCtx, name: string): Promise<void> {
  await transaction(ctx.db, (tx) => deleteFlags(tx, ctx.repo.id, name))
}
