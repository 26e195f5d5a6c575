import { accounts } from './accounts.ts'
import { actions } from './actions.ts'
import { activity } from './activity.ts'
import type { AreaSchema, Statement } from './area.ts'
import { audit } from './audit.ts'
import { events } from './events.ts'
import { federation } from './federation.ts'
import { gitData } from './git-data.ts'
import { imports } from './imports.ts'
import { issues } from './issues.ts'
import { lfs } from './lfs.ts'
import { mail } from './mail.ts'
import { mirrors } from './mirrors.ts'
import { notifications } from './notifications.ts'
import { oauth } from './oauth.ts'
import { packages } from './packages.ts'
import { pulls } from './pulls.ts'
import { quota } from './quota.ts'
import { releases } from './releases.ts'
import { repoRelations } from './repo-relations.ts'
import { repositories } from './repositories.ts'
import { revisions } from './revisions.ts'
import { webhooks } from './webhooks.ts'
import { wiki } from './wiki.ts'
import { work } from './work.ts'

/** All areas. An area comes after the areas whose tables and functions it uses. */
const areas: readonly AreaSchema[] = [
  revisions,
  accounts,
  repositories,
  events,
  work,
  gitData,
  issues,
  pulls,
  repoRelations,
  actions,
  mirrors,
  quota,
  releases,
  notifications,
  wiki,
  mail,
  lfs,
  webhooks,
  activity,
  packages,
  federation,
  oauth,
  imports,
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

/** The statements of the baseline schema. The tables of all areas come first. */
export const baseline: readonly Statement[] = [
  ...areas.flatMap(({ tables }) => tables),
  ...areas.flatMap(({ indexes = [] }) => indexes),
  ...areas.flatMap(({ sqlite = [] }) => sqlite.map(ofSqlite)),
  ...areas.flatMap(({ postgres = [] }) => postgres.map(ofPostgres)),
  actionsAccount,
]
