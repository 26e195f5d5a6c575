import type { Ctx } from '../access/context.ts'
import type { ImportRow } from '../db/tables/imports.ts'
import { pluck } from '../lib/pluck.ts'
import { formatUnix } from '../lib/time.ts'
import { loadUsers } from '../users/user.store.ts'
import type { RepositoryImport } from './import.schemas.ts'
import type { WantedImport } from './wanted-import.ts'

/** Returns imports with the names of their owners, loaded in one query. */
export async function presentImports(
  ctx: Pick<Ctx, 'config' | 'db'>,
  rows: readonly ImportRow[],
): Promise<RepositoryImport[]> {
  const owners = await loadUsers(ctx.db, pluck(rows, 'owner_id'))
  return rows.map((row) => {
    const wanted = JSON.parse(row.wanted) as WantedImport
    return {
      id: row.id,
      url: `${ctx.config.server.rootUrl}api/v1/user/imports/${row.id}`,
      state: row.state,
      cancelled: row.is_cancelled,
      clone_addr: wanted.address,
      service: wanted.service,
      repo_owner: owners.get(row.owner_id)?.name ?? '',
      repo_name: wanted.name,
      step: row.step,
      done: row.done_count,
      counts: JSON.parse(row.counts) as Record<string, number>,
      notes: JSON.parse(row.notes) as string[],
      problem: row.problem,
      created_at: formatUnix(row.created_unix),
      updated_at: formatUnix(row.updated_unix),
    }
  })
}

export async function presentImport(ctx: Pick<Ctx, 'config' | 'db'>, row: ImportRow): Promise<RepositoryImport> {
  const [presented] = await presentImports(ctx, [row])
  return presented as RepositoryImport
}
