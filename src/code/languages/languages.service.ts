import type { RepoCtx } from '../../access/context.ts'
import { listLanguages } from './languages.store.ts'

/** Bytes by language from the last count, largest first. */
export async function getLanguages(ctx: RepoCtx): Promise<Record<string, number>> {
  const rows = await listLanguages(ctx.db, ctx.repo.id)
  return Object.fromEntries(rows.map((row) => [row.language, row.size_bytes]))
}
