import type { Db, Tx } from '../db/database.ts'
import { changesRow, countRows } from '../db/rows.ts'
import type { HookLevel, NewWebhookRow, WebhookChange, WebhookRow } from '../db/tables/webhooks.ts'
import type { HookId, RepoId } from '../lib/ids.ts'
import type { Page } from '../lib/paging.ts'
import type { Unix } from '../lib/time.ts'
import type { HookOwner } from './hook-owner.ts'

const ownedBy = (db: Db | Tx, { repo_id: repoId, owner_id: ownerId }: HookOwner) => {
  const hooks = db.selectFrom('webhook')
  if (repoId !== null) return hooks.where('repo_id', '=', repoId)
  if (ownerId !== null) return hooks.where('owner_id', '=', ownerId)
  return hooks.where('level', 'in', ['system', 'default']).where('repo_id', 'is', null).where('owner_id', 'is', null)
}

/** Lists the webhooks of an owner, oldest first; `level` selects among those of the instance. */
export const listHooks = (db: Db, owner: HookOwner, page: Page, level?: HookLevel): Promise<WebhookRow[]> => {
  const hooks = ownedBy(db, owner).selectAll().orderBy('id').limit(page.limit).offset(page.offset)
  return (level === undefined ? hooks : hooks.where('level', '=', level)).execute()
}

export const countHooks = (db: Db | Tx, owner: HookOwner): Promise<number> => countRows(ownedBy(db, owner))

export const findHook = (db: Db | Tx, owner: HookOwner, id: HookId): Promise<WebhookRow | undefined> =>
  ownedBy(db, owner).selectAll().where('id', '=', id).executeTakeFirst()

export const insertHook = (tx: Tx, values: NewWebhookRow): Promise<WebhookRow> =>
  tx.insertInto('webhook').values(values).returningAll().executeTakeFirstOrThrow()

/** Returns undefined when the webhook does not exist. */
export const updateHook = (tx: Tx, id: HookId, change: WebhookChange): Promise<WebhookRow | undefined> =>
  tx.updateTable('webhook').set(change).where('id', '=', id).returningAll().executeTakeFirst()

/** Returns false when the webhook does not exist. */
export const deleteHook = (tx: Tx, id: HookId): Promise<boolean> =>
  changesRow(tx.deleteFrom('webhook').where('id', '=', id))

/** Copies the webhooks of a repository, or the default webhooks of the instance, to a repository. */
export async function copyHooks(
  tx: Tx,
  from: { readonly repoId: RepoId } | 'default',
  repoId: RepoId,
  nowUnix: Unix,
): Promise<void> {
  const own = ['type', 'url', 'content_type', 'events', 'branch_filter', 'metadata', 'sealed_secret'] as const
  const copied = [...own, 'sealed_authorization', 'is_active'] as const
  const sources = tx.selectFrom('webhook').select(copied)
  await tx
    .insertInto('webhook')
    .columns([...copied, 'level', 'repo_id', 'created_unix', 'updated_unix'])
    .expression(
      (from === 'default'
        ? sources.where('level', '=', 'default').where('repo_id', 'is', null).where('owner_id', 'is', null)
        : sources.where('repo_id', '=', from.repoId)
      )
        .select((row) => [
          row.val<HookLevel>('repository').as('level'),
          row.cast<RepoId>(row.val(repoId), 'bigint').as('repo_id'),
          row.cast<Unix>(row.val(nowUnix), 'bigint').as('created_unix'),
          row.cast<Unix>(row.val(nowUnix), 'bigint').as('updated_unix'),
        ])
        .orderBy('webhook.id'),
    )
    .execute()
}
