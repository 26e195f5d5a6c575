import { sql } from 'kysely'
import type { Db, Tx } from '../../db/database.ts'
import { changesRow, countRows } from '../../db/rows.ts'
import type { ActionRegistrationTokenRow, ActionRunnerRow, NewActionRunnerRow } from '../../db/tables/action-runners.ts'
import type { RepoRow } from '../../db/tables/repositories.ts'
import type { RepoId, RunnerId, UserId } from '../../lib/ids.ts'
import type { Page } from '../../lib/paging.ts'
import type { Unix } from '../../lib/time.ts'
import { scopeText, type QueueScope } from '../queue-scope.ts'

/** Returns the registration of a scope: its token, or the inactive row that disables registration, which takes precedence. */
export const findRegistration = (db: Db | Tx, scope: QueueScope): Promise<ActionRegistrationTokenRow | undefined> =>
  db
    .selectFrom('action_registration_token')
    .selectAll()
    .where('scope', '=', scopeText(scope))
    .orderBy('is_active')
    .limit(1)
    .executeTakeFirst()

/** Returns false when the scope has one. */
export const insertRegistrationToken = async (
  tx: Tx,
  { ownerId, repoId }: QueueScope,
  token: { readonly hash: string; readonly sealed: string; readonly createdUnix: Unix; readonly isActive: boolean },
): Promise<boolean> =>
  (
    await tx
      .insertInto('action_registration_token')
      .values({
        scope: scopeText({ ownerId, repoId }),
        owner_id: ownerId,
        repo_id: repoId,
        token_hash: token.hash,
        sealed: token.sealed,
        is_active: token.isActive,
        created_unix: token.createdUnix,
      })
      .onConflict((conflict) => conflict.doNothing())
      .returning('id')
      .execute()
  ).length > 0

/** Returns the token with this hash, unless registration is disabled in its scope. */
export const findTokenByHash = (db: Db | Tx, hash: string): Promise<ActionRegistrationTokenRow | undefined> =>
  db
    .selectFrom('action_registration_token as token')
    .selectAll('token')
    .where('token.token_hash', '=', hash)
    .where('token.is_active', '=', sql.lit(true))
    .where((where) =>
      where.not(
        where.exists(
          where
            .selectFrom('action_registration_token as disabled')
            .select('disabled.id')
            .whereRef('disabled.scope', '=', 'token.scope')
            .where('disabled.is_active', '=', sql.lit(false)),
        ),
      ),
    )
    .executeTakeFirst()

/** Deletes the registration of a scope: its token, or the row that disables registration. */
export const deleteRegistration = (tx: Tx, scope: QueueScope) =>
  tx.deleteFrom('action_registration_token').where('scope', '=', scopeText(scope)).execute()

const activeTokens = (tx: Tx) =>
  tx.deleteFrom('action_registration_token').where('is_active', '=', sql.lit(true)).returning('id')

const reposOf = (tx: Tx, ownerId: UserId) =>
  tx.selectFrom('repo').select('repo.id').where('repo.owner_id', '=', ownerId)

/** Deletes the registration token of a scope. Returns the number of deleted tokens. */
export const deleteRegistrationToken = async (tx: Tx, scope: QueueScope): Promise<number> =>
  (await activeTokens(tx).where('scope', '=', scopeText(scope)).execute()).length

/** Deletes the registration tokens of an owner and of all repositories of the owner. Returns their number. */
export const deleteRegistrationTokensBelow = async (tx: Tx, ownerId: UserId): Promise<number> =>
  (
    await activeTokens(tx)
      .where((where) => where.or([where('owner_id', '=', ownerId), where('repo_id', 'in', reposOf(tx, ownerId))]))
      .execute()
  ).length

/** Deletes all registration tokens. Returns their number. */
export const deleteAllRegistrationTokens = async (tx: Tx): Promise<number> => (await activeTokens(tx).execute()).length

/**
 * Deletes the registration tokens that a person can read: all of them for an administrator, else those of organizations
 * where the person is on a team of administrators or owners. Returns their number.
 */
export async function deleteRegistrationTokensReadableBy(tx: Tx, userId: UserId): Promise<number> {
  const orgs = tx
    .selectFrom('team_user')
    .innerJoin('team', 'team.id', 'team_user.team_id')
    .select('team.org_id')
    .where('team_user.user_id', '=', userId)
    .where('team.access_mode', '>=', 3)
  const repos = tx.selectFrom('repo').select('repo.id').where('repo.owner_id', 'in', orgs)
  const administrator = tx
    .selectFrom('user')
    .select('id')
    .where('id', '=', userId)
    .where('is_admin', '=', sql.lit(true))
  const deleted = await activeTokens(tx)
    .where((where) =>
      where.or([where.exists(administrator), where('owner_id', 'in', orgs), where('repo_id', 'in', repos)]),
    )
    .execute()
  return deleted.length
}

/** Returns the number of all runners. */
export const countRunners = (tx: Tx): Promise<number> => countRows(tx.selectFrom('action_runner'))

/** Returns the number of runners of an owner and of the owner's repositories. */
export const countRunnersBelow = (tx: Tx, ownerId: UserId): Promise<number> =>
  countRows(
    tx
      .selectFrom('action_runner')
      .where((where) => where.or([where('owner_id', '=', ownerId), where('repo_id', 'in', reposOf(tx, ownerId))])),
  )

/** Unregisters the runners of a repository. */
export const deleteRunnersOfRepo = (tx: Tx, repoId: RepoId) =>
  tx.deleteFrom('action_runner').where('repo_id', '=', repoId).execute()

export const insertRunner = (tx: Tx, values: NewActionRunnerRow): Promise<ActionRunnerRow> =>
  tx.insertInto('action_runner').values(values).returningAll().executeTakeFirstOrThrow()

const runnersOf = (db: Db | Tx, { ownerId, repoId }: QueueScope) =>
  db
    .selectFrom('action_runner')
    .where('owner_id', ownerId === null ? 'is' : '=', ownerId)
    .where('repo_id', repoId === null ? 'is' : '=', repoId)

/** Returns the runners of a scope, the newest first. */
export const listRunners = (db: Db, scope: QueueScope, page: Page): Promise<ActionRunnerRow[]> =>
  runnersOf(db, scope).selectAll().orderBy('id', 'desc').limit(page.limit).offset(page.offset).execute()

/** Returns those runners that have a running task. */
export const listBusyRunners = async (db: Db, ids: readonly RunnerId[]): Promise<ReadonlySet<RunnerId>> => {
  if (ids.length === 0) return new Set()
  const rows = await db
    .selectFrom('action_task')
    .select('runner_id')
    .distinct()
    .where('runner_id', 'in', ids)
    .where('status', '=', sql.lit('running'))
    .execute()
  return new Set(rows.flatMap(({ runner_id: id }) => id ?? []))
}

export const countRunnersOf = (db: Db, scope: QueueScope): Promise<number> => countRows(runnersOf(db, scope))

/** Most kinds of runners, by their labels, that are compared with the labels of a job. */
const maxKinds = 1000

/** Returns the labels of the runners that take jobs of a repository, as JSON, each with the newest call. */
export const listLabelsTaking = (
  db: Db,
  repo: Pick<RepoRow, 'id' | 'owner_id'>,
): Promise<{ readonly labels: string; readonly onlineMs: number }[]> =>
  db
    .selectFrom('action_runner')
    .select(({ fn }) => ['labels', fn.max('online_ms').as('onlineMs')])
    .where((where) =>
      where.or([
        where('repo_id', '=', repo.id),
        where.and([
          where('repo_id', 'is', null),
          where.or([where('owner_id', '=', repo.owner_id), where('owner_id', 'is', null)]),
        ]),
      ]),
    )
    .groupBy('labels')
    .limit(maxKinds)
    .execute()

export const findRunner = (tx: Tx, scope: QueueScope, id: RunnerId): Promise<ActionRunnerRow | undefined> =>
  runnersOf(tx, scope).selectAll().where('id', '=', id).executeTakeFirst()

export const findRunnerByUuid = (db: Db, uuid: string): Promise<ActionRunnerRow | undefined> =>
  db.selectFrom('action_runner').selectAll().where('uuid', '=', uuid).executeTakeFirst()

export const updateRunner = (
  tx: Tx,
  id: RunnerId,
  change: Partial<NewActionRunnerRow>,
): Promise<ActionRunnerRow | undefined> =>
  tx.updateTable('action_runner').set(change).where('id', '=', id).returningAll().executeTakeFirst()

/** Locks the row of a runner until the transaction ends. Returns false when it does not exist. */
export const lockRunner = (tx: Tx, id: RunnerId): Promise<boolean> =>
  changesRow(
    tx
      .updateTable('action_runner')
      .set((set) => ({ is_ephemeral: set.ref('is_ephemeral') }))
      .where('id', '=', id),
  )

export const deleteRunner = (tx: Tx, id: RunnerId) => tx.deleteFrom('action_runner').where('id', '=', id).execute()

export const findQueueVersion = async (db: Db, scope: QueueScope): Promise<number | undefined> =>
  (
    await db
      .selectFrom('action_queue_version')
      .select('version')
      .where('scope', '=', scopeText(scope))
      .executeTakeFirst()
  )?.version

/** Creates the queue of a scope, unless it exists. */
export const insertQueueVersion = (tx: Tx, scope: QueueScope) =>
  tx
    .insertInto('action_queue_version')
    .values({ scope: scopeText(scope), version: 1 })
    .onConflict((conflict) => conflict.doNothing())
    .execute()

export const deleteQueueVersion = async (tx: Tx, scope: QueueScope): Promise<void> =>
  void (await tx.deleteFrom('action_queue_version').where('scope', '=', scopeText(scope)).execute())
