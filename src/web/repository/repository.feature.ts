import type { Feature } from '../../access/feature.ts'
import * as marksPage from './marks.page.tsx'
import * as transferPage from './transfer.page.tsx'
import * as createPage from './new/create.page.tsx'
import * as forkPage from './new/fork.page.tsx'
import * as generatePage from './new/generate.page.tsx'
import * as migratePage from './new/migrate.page.tsx'
import * as actionsPage from './settings/actions.page.tsx'
import * as avatarPage from './settings/avatar.page.ts'
import * as branchesPage from './settings/branches.page.tsx'
import * as cachesPage from './settings/caches.page.tsx'
import * as collaborationPage from './settings/collaboration.page.tsx'
import * as generalPage from './settings/general.page.tsx'
import * as gitHooksPage from './settings/git-hooks.page.tsx'
import * as hooksPage from './settings/hooks.page.tsx'
import * as keysPage from './settings/keys.page.tsx'
import * as lfsPage from './settings/lfs.page.tsx'
import * as mirrorsPage from './settings/mirrors.page.tsx'
import * as tagsPage from './settings/tags.page.tsx'

/** The pages that create, mark and change repositories. */
export const webRepository: Feature = {
  routes: [
    marksPage,
    transferPage,
    createPage,
    forkPage,
    generatePage,
    migratePage,
    avatarPage,
    branchesPage,
    generalPage,
    keysPage,
    collaborationPage,
    gitHooksPage,
    hooksPage,
    actionsPage,
    cachesPage,
    lfsPage,
    mirrorsPage,
    tagsPage,
  ],
}
