import type { Feature } from '../access/feature.ts'
import * as repoRoutes from './repo.routes.ts'
import * as repoListRoutes from './lists/repo-list.routes.ts'
import * as forkRoutes from './lifecycle/fork.routes.ts'
import * as transferRoutes from './lifecycle/transfer.routes.ts'
import * as generateRoutes from './lifecycle/generate.routes.ts'
import * as flagRoutes from './social/flag.routes.ts'
import * as deployKeyRoutes from './people/deploy-key.routes.ts'
import * as collaborationRoutes from './people/collaboration.routes.ts'
import * as peopleRoutes from './people/candidate.routes.ts'
import * as invitationRoutes from './invitations/invitation.routes.ts'
import * as starRoutes from './social/star.routes.ts'
import * as topicRoutes from './social/topic.routes.ts'
import * as topicSearchRoutes from './social/topic-search.routes.ts'
import * as watchRoutes from './social/watch.routes.ts'
import * as teamRepoRoutes from './people/team-repo.routes.ts'
import * as mirrorRoutes from './mirrors/mirror.routes.ts'
import * as pushMirrorRoutes from './mirrors/push-mirror.routes.ts'
import * as repoAvatarRoutes from './avatar.routes.ts'
import * as gitHookRoutes from './git-hooks/git-hook.routes.ts'
import {
  bitmapAfterLargePush,
  maintainAfterChanges,
  dividePacksOfRepository,
  maintainRepository,
  measureRepository,
} from './maintenance/measure.subscribers.ts'
import {
  copyTemplateAvatar,
  dropUnseenWatches,
  endBlockedRelations,
  removeRepoFiles,
  watchTeamRepos,
} from './repo.subscribers.ts'
import { invitationsToAccount } from './invitations/invitation.owned.ts'
import { repoCounters } from './counter.store.ts'
import { deleteMissingRepos } from './maintenance/delete-missing-repos.task.ts'
import { gitLeftoversCheck, givenCopiesCheck, orphansCheck, repositoriesCheck } from './maintenance/doctor.service.ts'
import { gitGcRepos } from './maintenance/git-gc-repos.task.ts'
import { gitUsage } from './git-usage.service.ts'
import { migrationClient } from './mirrors/migration-client.ts'
import { repoPushExtras } from './push-extras.service.ts'
import { reinitMissingRepos } from './maintenance/reinit-missing-repos.task.ts'
import { cleanOwnFolders, ownFolders } from './maintenance/own-folders.ts'
import { removeGitLeftovers } from './maintenance/remove-git-leftovers.task.ts'
import { removeTemporaryFolders } from './maintenance/remove-temporary-folders.task.ts'
import { repoHealthCheck } from './maintenance/repo-health-check.task.ts'
import { accountRelations, ownedRepos, repoRelations } from './repo.owned.ts'
import { deleteOldInvitations } from './invitations/delete-old-invitations.task.ts'
import { invitationLimits } from './invitations/invitation-limits.ts'
import { syncMirrorJob, updateMirrors } from './mirrors/sync-mirror.job.ts'
import { mirrorPurpose } from './mirrors/mirror.service.ts'
import { pushMirrorJob } from './mirrors/push-mirror.job.ts'
import { pushMirrorPurpose } from './mirrors/push-mirror.service.ts'
import { sendChangesOn } from './mirrors/push-mirror.subscribers.ts'
import { countRepositories } from './total.store.ts'

/** Repositories: records, lifecycle, people, social relations, mirrors, lists and maintenance. */
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
    invitationRoutes,
    starRoutes,
    topicRoutes,
    topicSearchRoutes,
    watchRoutes,
    teamRepoRoutes,
    mirrorRoutes,
    pushMirrorRoutes,
    repoAvatarRoutes,
    gitHookRoutes,
  ],
  subscribers: [
    measureRepository,
    bitmapAfterLargePush,
    maintainAfterChanges,
    dropUnseenWatches,
    endBlockedRelations,
    watchTeamRepos,
    removeRepoFiles,
    copyTemplateAvatar,
    sendChangesOn,
  ],
  jobs: [syncMirrorJob, pushMirrorJob, maintainRepository, dividePacksOfRepository],
  schedules: (config) => [
    updateMirrors(config),
    deleteMissingRepos(config),
    gitGcRepos(config),
    reinitMissingRepos(config),
    repoHealthCheck(config),
    removeGitLeftovers,
    deleteOldInvitations,
    removeTemporaryFolders,
  ],
  services: [migrationClient, ownFolders, invitationLimits],
  begin: async (services, { isAlone }) => (isAlone ? undefined : cleanOwnFolders(services)),
  sealed: [
    { table: 'mirror', column: 'sealed_credentials', purpose: mirrorPurpose },
    { table: 'push_mirror', column: 'sealed_credentials', purpose: pushMirrorPurpose },
  ],
  files: [{ table: 'repo', column: 'avatar_key', store: 'repoAvatars' }],
  counters: repoCounters,
  totals: countRepositories,
  usage: [gitUsage],
  doctor: [repositoriesCheck, gitLeftoversCheck, orphansCheck, givenCopiesCheck],
  owns: [ownedRepos, accountRelations, repoRelations, invitationsToAccount],
  pushExtras: repoPushExtras,
}
