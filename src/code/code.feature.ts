import type { Feature } from '../access/feature.ts'
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
import * as tagRoutes from './tag.routes.ts'
import * as treeRoutes from './tree.routes.ts'
import { archiveCleanup, deleteRepoArchives } from './archive-cleanup.task.ts'
import { removeArchivesOfRepo } from './archive.subscribers.ts'
import { countRepoLanguages } from './languages.subscribers.ts'

/** What lies in a repository: files, commits, branches, tags and what is said of them. */
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
}
