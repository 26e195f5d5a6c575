import type { Tx } from '../db/database.ts'
import type { RepoRow } from '../db/tables/repositories.ts'
import type { RepoId } from '../lib/ids.ts'
import { listHooksFor } from './delivery.store.ts'
import { PayloadPresenter, type PayloadCtx, type Repository } from '../payloads/payload.present.ts'

/** Repositories that transactions under way delete, as they were: when their end is told the rows are gone. */
const gone = new WeakMap<Tx, Map<RepoId, Repository>>()

export const goneRepositoriesOf = (tx: Tx): ReadonlyMap<RepoId, Repository> => gone.get(tx) ?? new Map()

/** Remembers what a repository was, when anybody is told that it goes. */
export async function rememberRepository(ctx: PayloadCtx, tx: Tx, repo: RepoRow): Promise<void> {
  const hooks = await listHooksFor(tx, [], [repo.owner_id])
  if (!hooks.some((hook) => (JSON.parse(hook.events) as string[]).includes('repository'))) return
  const kit = await PayloadPresenter.load({ ...ctx, db: tx }, [{ repoIds: [repo.id] }])
  const shown = await kit.repository(repo.id, 'all')
  if (!shown) return
  const all = gone.get(tx) ?? new Map<RepoId, Repository>()
  gone.set(tx, all.set(repo.id, shown))
}
