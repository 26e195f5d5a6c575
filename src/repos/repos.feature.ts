import type { Feature } from '../access/feature.ts'
import * as repoRoutes from './repo.routes.ts'
import * as repoListRoutes from './repo-list.routes.ts'
import * as forkRoutes from './fork.routes.ts'
import * as transferRoutes from './transfer.routes.ts'
import * as generateRoutes from './generate.routes.ts'
import * as flagRoutes from './flag.routes.ts'
import * as deployKeyRoutes from './deploy-key.routes.ts'
import * as collaborationRoutes from './collaboration.routes.ts'
import * as peopleRoutes from './people.routes.ts'
import * as starRoutes from './star.routes.ts'
import * as topicRoutes from './topic.routes.ts'
import * as watchRoutes from './watch.routes.ts'
import * as teamRepoRoutes from './team-repo.routes.ts'
import * as migrateRoutes from './migrate.routes.ts'
import * as mirrorRoutes from './mirror.routes.ts'
import * as repoAvatarRoutes from './avatar.routes.ts'
import * as branchProtectionRoutes from './branch-protection.routes.ts'
import * as gitHookRoutes from './git-hook.routes.ts'
import * as languageRoutes from './languages.routes.ts'
import * as signingKeyRoutes from './signing-key.routes.ts'
import * as archiveRoutes from './archive.routes.ts'
import * as commitStatusRoutes from './commit-status.routes.ts'
import * as editorconfigRoutes from './editorconfig.routes.ts'
import * as noteRoutes from './note.routes.ts'
import * as rawRoutes from './raw.routes.ts'
import * as syncForkRoutes from './sync-fork.routes.ts'
import * as branchRoutes from './branch.routes.ts'
import * as commitRoutes from './commit.routes.ts'
import * as contentRoutes from './content.routes.ts'
import * as refRoutes from './ref.routes.ts'
import * as tagProtectionRoutes from './tag-protection.routes.ts'
import * as tagRoutes from './tag.routes.ts'
import * as treeRoutes from './tree.routes.ts'
import { maintainAfterChanges, maintainRepository, measureRepository } from './measure.subscribers.ts'
import {
  copyTemplateAvatar,
  dropUnseenWatches,
  endBlockedRelations,
  removeRepoFiles,
  watchTeamRepos,
} from './repo.subscribers.ts'
import { archiveCleanup, removeArchivesOfRepo } from './archive-cleanup.task.ts'
import { countRepoLanguages } from './languages.subscribers.ts'
import { syncMirrorJob, updateMirrors } from './sync-mirror.job.ts'
import { settleChange } from './ref-door.service.ts'
import { settleRefChanges } from './settle-ref-changes.task.ts'
import { mirrorPurpose } from './mirror.service.ts'

/** Repositories and their git data. */
export const repos: Feature = {
  routes: [
    repoRoutes,
    repoListRoutes,
    forkRoutes,
    transferRoutes,
    generateRoutes,
    flagRoutes,
    deployKeyRoutes,
    collaborationRoutes,
    peopleRoutes,
    starRoutes,
    topicRoutes,
    watchRoutes,
    teamRepoRoutes,
    migrateRoutes,
    mirrorRoutes,
    repoAvatarRoutes,
    branchProtectionRoutes,
    gitHookRoutes,
    languageRoutes,
    signingKeyRoutes,
    archiveRoutes,
    commitStatusRoutes,
    editorconfigRoutes,
    noteRoutes,
    rawRoutes,
    syncForkRoutes,
    branchRoutes,
    commitRoutes,
    contentRoutes,
    refRoutes,
    tagProtectionRoutes,
    tagRoutes,
    treeRoutes,
  ],
  subscribers: [
    measureRepository,
    maintainAfterChanges,
    dropUnseenWatches,
    endBlockedRelations,
    watchTeamRepos,
    removeRepoFiles,
    copyTemplateAvatar,
    removeArchivesOfRepo,
    countRepoLanguages,
  ],
  jobs: [settleChange, syncMirrorJob, maintainRepository],
  schedules: (config) => [archiveCleanup(config), updateMirrors(config), settleRefChanges],
  sealed: [{ table: 'mirror', column: 'sealed_credentials', purpose: mirrorPurpose }],
}
