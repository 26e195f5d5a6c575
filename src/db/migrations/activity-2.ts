import type { Migration } from './migration.ts'

/** The orders in which administrators list accounts. */
const accountOrders = ['lower_name', 'created_unix', 'updated_unix', 'last_login_unix']

/** Feeds, notifications and accounts are found in the order of their lists, and the repositories that they are about first. */
export const activity2: Migration = {
  name: 'activity-2',
  statements: [
    // Each repository that somebody did something in, and each of an owner in which something was done.
    `create index activity_actor_repo on activity (actor_id, repo_id)`,
    `create index activity_owner_repo on activity (owner_id, repo_id)`,
    // Whose acts are not shown to everybody: of most there are few.
    `create index user_hidden on "user" (id, hide_activity, visibility) where hide_activity or visibility <> 'public'`,
    `drop index notification_list`,
    `create index notification_list on notification (user_id, updated_ms, id, repo_id, subject, status)`,
    `create index notification_of_repo on notification (user_id, repo_id, status, updated_ms, id, subject)`,
    // Versions are passed over and counted without their rows.
    `drop index package_version_list`,
    `create index package_version_list on package_version (owner_id, is_internal, created_unix, id, package_id)`,
    `drop index package_version_type`,
    `create index package_version_type on package_version (owner_id, type, is_internal, created_unix, id, package_id)`,
    // What teams give is read without their rows.
    `create index team_unit_mode on team_unit (team_id, unit, access_mode)`,
    ...accountOrders.map((order) => `create index user_by_${order} on "user" (kind, ${order}, id, login_source_id)`),
  ],
}
