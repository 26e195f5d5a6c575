import type { Feature } from '../access/feature.ts'
import * as languageRoutes from './languages/languages.routes.ts'
import * as signingKeyRoutes from './commits/signing-key.routes.ts'
import * as archiveRoutes from './archives/archive.routes.ts'
import * as commitStatusRoutes from './statuses/commit-status.routes.ts'
import * as editorconfigRoutes from './contents/editorconfig.routes.ts'
import * as noteRoutes from './branches/note.routes.ts'
import * as rawRoutes from './contents/raw.routes.ts'
import * as syncForkRoutes from './branches/sync-fork.routes.ts'
import * as branchRoutes from './branches/branch.routes.ts'
import * as commitRoutes from './commits/commit.routes.ts'
import * as contentRoutes from './contents/content.routes.ts'
import * as refRoutes from './branches/ref.routes.ts'
import * as tagRoutes from './branches/tag.routes.ts'
import * as treeRoutes from './contents/tree.routes.ts'
import { archiveCleanup, deleteRepoArchives } from './archives/archive-cleanup.task.ts'
import { removeArchivesOfRepo } from './archives/archive.subscribers.ts'
import { languagesCheck } from './doctor.service.ts'
import { countRepoLanguages } from './languages/languages.subscribers.ts'

/** Contents of repositories: files, commits, branches, tags, archives, languages and statuses. */
export const code: Feature = {
  routes: [
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
    tagRoutes,
    treeRoutes,
  ],
  subscribers: [removeArchivesOfRepo, countRepoLanguages],
  schedules: (config) => [archiveCleanup(config), deleteRepoArchives(config)],
  doctor: [languagesCheck],
}
