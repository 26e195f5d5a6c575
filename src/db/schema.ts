import type { AccountTables } from './tables/accounts.ts'
import type { ActionTables } from './tables/actions.ts'
import type { ActivityTables } from './tables/activity.ts'
import type { AuditTables } from './tables/audit.ts'
import type { FederationTables } from './tables/federation.ts'
import type { GitDataTables } from './tables/git-data.ts'
import type { ImportTables } from './tables/imports.ts'
import type { ReleaseTables } from './tables/releases.ts'
import type { RepoRelationTables } from './tables/repo-relations.ts'
import type { IssueTables } from './tables/issues.ts'
import type { MailTables } from './tables/mail.ts'
import type { LfsTables } from './tables/lfs.ts'
import type { MirrorTables } from './tables/mirrors.ts'
import type { NotificationTables } from './tables/notifications.ts'
import type { OAuthTables } from './tables/oauth.ts'
import type { PackageTables } from './tables/packages.ts'
import type { PullTables } from './tables/pulls.ts'
import type { QuotaTables } from './tables/quota.ts'
import type { RepositoryTables } from './tables/repositories.ts'
import type { RevisionTables } from './tables/revisions.ts'
import type { SigningTables } from './tables/signing.ts'
import type { UsageTables } from './tables/usage.ts'
import type { WikiTables } from './tables/wiki.ts'
import type { WebhookTables } from './tables/webhooks.ts'
import type { WorkTables } from './tables/work.ts'

/** All tables. `tables/<area>.ts` describes the tables of an area; `schema/<area>.ts` creates them. */
export interface Schema
  extends
    AccountTables,
    ActionTables,
    ActivityTables,
    AuditTables,
    FederationTables,
    GitDataTables,
    ImportTables,
    IssueTables,
    MailTables,
    LfsTables,
    MirrorTables,
    NotificationTables,
    OAuthTables,
    PackageTables,
    PullTables,
    QuotaTables,
    ReleaseTables,
    RepositoryTables,
    RepoRelationTables,
    RevisionTables,
    SigningTables,
    UsageTables,
    WikiTables,
    WebhookTables,
    WorkTables {}
