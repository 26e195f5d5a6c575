import type { Tx } from '../../db/database.ts'
import type { RepoRow } from '../../db/tables/repositories.ts'
import type { RepoId } from '../../lib/ids.ts'
import { listHooksFor } from './delivery.store.ts'
import { PayloadPresenter, type PayloadCtx, type Repository } from '../../payloads/payload.present.ts'

/** Repositories that open transactions delete, as presented before the deletion: payloads are built when the rows are gone. */
const deleted = new WeakMap<Tx, Map<RepoId, Repository>>()

export const deletedRepositoriesIn = (tx: Tx): ReadonlyMap<RepoId, Repository> => deleted.get(tx) ?? new Map()

/** Keeps the presented repository for the payload of its deletion, when a webhook wants that event. */
export async function rememberDeletedRepository(ctx: PayloadCtx, tx: Tx, repo: RepoRow): Promise<void> {
  const hooks = await listHooksFor(tx, [], [repo.owner_id])
  if (!hooks.some((hook) => (JSON.parse(hook.events) as string[]).includes('repository'))) return
  const kit = await PayloadPresenter.load({ ...ctx, db: tx }, [{ repoIds: [repo.id] }])
  const shown = await kit.repository(repo.id, 'all')
  if (!shown) return
  const all = deleted.get(tx) ?? new Map<RepoId, Repository>()
  deleted.set(tx, all.set(repo.id, shown))
}
