import type { TablesOf } from './table.ts'
import { accountTables } from './tables/accounts.ts'
import { actionRunnerTables } from './tables/action-runners.ts'
import { actionStorageTables } from './tables/action-storage.ts'
import { actionTables } from './tables/actions.ts'
import { activityTables } from './tables/activity.ts'
import { auditTables } from './tables/audit.ts'
import { boardTables } from './tables/boards.ts'
import { federationTables } from './tables/federation.ts'
import { gitDataTables } from './tables/git-data.ts'
import { importTables } from './tables/imports.ts'
import { invitationTables } from './tables/invitations.ts'
import { issueDetailTables } from './tables/issue-details.ts'
import { issueTables } from './tables/issues.ts'
import { lfsTables } from './tables/lfs.ts'
import { mailTables } from './tables/mail.ts'
import { mirrorTables } from './tables/mirrors.ts'
import { notificationTables } from './tables/notifications.ts'
import { oauthTables } from './tables/oauth.ts'
import { packageTables } from './tables/packages.ts'
import { pullTables } from './tables/pulls.ts'
import { quotaTables } from './tables/quota.ts'
import { releaseTables } from './tables/releases.ts'
import { repoRelationTables } from './tables/repo-relations.ts'
import { repositoryTables } from './tables/repositories.ts'
import { revisionTables } from './tables/revisions.ts'
import { signInTables } from './tables/sign-in.ts'
import { signingTables } from './tables/signing.ts'
import { usageTables } from './tables/usage.ts'
import { webhookTables } from './tables/webhooks.ts'
import { wikiTables } from './tables/wiki.ts'
import { workTables } from './tables/work.ts'

/** All tables. A table comes after the tables that it references. */
export const allTables = {
  ...revisionTables,
  ...accountTables,
  ...signInTables,
  ...repositoryTables,
  ...signingTables,
  ...usageTables,
  ...workTables,
  ...gitDataTables,
  ...issueTables,
  ...issueDetailTables,
  ...boardTables,
  ...pullTables,
  ...repoRelationTables,
  ...invitationTables,
  ...actionRunnerTables,
  ...actionTables,
  ...actionStorageTables,
  ...mirrorTables,
  ...quotaTables,
  ...releaseTables,
  ...notificationTables,
  ...wikiTables,
  ...mailTables,
  ...lfsTables,
  ...webhookTables,
  ...activityTables,
  ...packageTables,
  ...federationTables,
  ...oauthTables,
  ...importTables,
  ...auditTables,
}

/** The types of all tables, for Kysely. */
export interface Schema extends TablesOf<typeof allTables> {}
