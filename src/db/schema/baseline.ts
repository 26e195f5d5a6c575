import { allTables } from '../schema.ts'
import { createIndexes, createTable, type Statement, type Table } from '../table.ts'
import { accounts } from './accounts.ts'
import { actions } from './actions.ts'
import type { AreaSchema } from './area.ts'
import { audit } from './audit.ts'
import { events } from './events.ts'
import { issues } from './issues.ts'
import { notifications } from './notifications.ts'
import { pulls } from './pulls.ts'
import { repoRelations } from './repo-relations.ts'
import { repositories } from './repositories.ts'
import { revisions } from './revisions.ts'

/** An area comes after the areas whose functions it uses. */
const areas: readonly AreaSchema[] = [
  revisions,
  accounts,
  repositories,
  events,
  issues,
  pulls,
  repoRelations,
  actions,
  notifications,
  audit,
]

/** The account that workflow jobs act as (contract, actions: the job token). */
const actionsAccount = `insert into "user" (
    id, kind, name, lower_name, full_name, email, keep_email_private, email_notifications, password_hash,
    must_change_password, is_admin, is_active, is_restricted, prohibit_login, allow_git_hook, allow_import_local,
    allow_create_organization, max_repo_creation, visibility, description, location, website, pronouns, language,
    theme, diff_view_style, hide_activity, enable_repo_unit_hints, avatar_key, login_name,
    repo_admin_change_team_access, created_unix, updated_unix
  ) values (
    -2, 'system', 'forgejo-actions', 'forgejo-actions', 'Forgejo Actions', 'noreply@forgejo.org', true, 'disabled', null,
    false, false, true, false, false, false, false,
    false, 0, 'public', '', '', '', '', '',
    '', '', false, false, '', 'forgejo-actions',
    false, 0, 0
  )`

const ofSqlite = (text: string) => ({ sqlite: text, postgres: '' })
const ofPostgres = (text: string) => ({ sqlite: '', postgres: text })

/** Returns the statements that follow after rows were inserted without triggers. */
export const rewriting = (): readonly Statement[] => areas.flatMap(({ rewrite = [] }) => rewrite)

/** Returns the statements of the baseline schema. Only an empty database needs them, so no start pays for printing them. */
export function printBaseline(): readonly Statement[] {
  const tables = Object.entries<Table>(allTables)
  return [
    ...tables.map(([name, table]) => createTable(name, table)),
    ...areas.flatMap(({ tables: besides = [] }) => besides),
    ...tables.flatMap(([name, table]) => createIndexes(name, table)),
    ...areas.flatMap(({ sqlite = [] }) => sqlite.map(ofSqlite)),
    ...areas.flatMap(({ postgres = [] }) => postgres.map(ofPostgres)),
    actionsAccount,
  ]
}
