import type { Insertable, Selectable } from 'kysely'
import type { RegistrationTokenId, RepoId, RunnerId, UserId } from '../../lib/ids.ts'
import { bigint, flag, id, nullable, primaryKey, ref, table, text, unique, unix, type TablesOf } from '../table.ts'

export const actionRunnerTables = {
  /** A runner of a repository, of an account, or of the instance. */
  action_runner: table(
    {
      id: id<RunnerId>(),
      uuid: unique(text()),
      name: text(),
      version: text(),
      owner_id: nullable(ref<UserId>('user', 'cascade')),
      repo_id: nullable(ref<RepoId>('repo', 'cascade')),
      token_hash: text(),
      /** JSON. */
      labels: text(),
      /** Whether the server deletes the runner after one job. */
      is_ephemeral: flag(),
      online_ms: bigint(),
      active_ms: bigint(),
      created_unix: unix(),
    },
    {
      indexes: {
        action_runner_owner: '(owner_id) where owner_id is not null',
        action_runner_repo: '(repo_id) where repo_id is not null',
      },
    },
  ),

  /** Registration tokens of runners. The pages show a token again, so it is sealed in addition to the hash. */
  action_registration_token: table(
    {
      id: id<RegistrationTokenId>(),
      /** `instance`, `owner <id>` or `repo <id>`. */
      scope: text(),
      owner_id: nullable(ref<UserId>('user', 'cascade')),
      repo_id: nullable(ref<RepoId>('repo', 'cascade')),
      token_hash: unique(text()),
      sealed: text(),
      is_active: flag(),
      created_unix: unix(),
    },
    {
      indexes: {
        action_registration_token_owner: '(owner_id) where owner_id is not null',
        action_registration_token_repo: '(repo_id) where repo_id is not null',
        action_registration_token_scope: {
          sqlite: 'unique (scope) where is_active = 1',
          postgres: 'unique (scope) where is_active',
        },
      },
    },
  ),

  /**
   * A version per scope, incremented when a job begins to wait. Runners query for jobs only after a change. The scopes
   * are those of registration tokens.
   */
  action_queue_version: table({
    scope: primaryKey(text()),
    version: bigint(),
  }),
}

export type ActionRunnerTables = TablesOf<typeof actionRunnerTables>
export type ActionRunnerRow = Selectable<ActionRunnerTables['action_runner']>
export type NewActionRunnerRow = Insertable<ActionRunnerTables['action_runner']>
export type ActionRegistrationTokenRow = Selectable<ActionRunnerTables['action_registration_token']>
