import * as newOrganizationPages from './organizations/new-organization.page.tsx'
import type { Feature } from '../access/feature.ts'
import * as administrationAuditPage from './administration/audit.page.tsx'
import * as administrationOverviewPage from './administration/overview.page.tsx'
import * as administrationPeoplePage from './administration/people.page.tsx'
import * as administrationWorkPage from './administration/work.page.tsx'
import * as actionsJobPage from './actions/job.page.tsx'
import * as actionsLive from './actions/live.routes.ts'
import * as actionsRunPage from './actions/run.page.tsx'
import * as packagesPage from './packages/packages.page.tsx'
import * as actionsWorkflowsPage from './actions/workflows.page.tsx'
import * as apiDocsRoutes from './api/api-docs.routes.tsx'
import * as assetRoutes from './shell/assets.routes.ts'
import * as authorizeRoutes from './entry/authorize.routes.tsx'
import { sessions } from './shell/browser.credentials.ts'
import * as createPages from './repository/new/create.page.tsx'
import { codePages } from './code/code.page.ts'
import * as deviceRoutes from './entry/device.routes.tsx'
import * as forkPages from './repository/new/fork.page.tsx'
import * as generatePages from './repository/new/generate.page.tsx'
import { issuePages } from './issues/issues.page.ts'
import * as marksPage from './repository/marks.page.tsx'
import * as migratePages from './repository/new/migrate.page.tsx'
import * as newPullPage from './pulls/new-pull.page.tsx'
import * as pullActsPage from './pulls/pull-acts.page.tsx'
import * as pullCommitsPage from './pulls/pull-commits.page.tsx'
import * as pullFilesPage from './pulls/pull-files.page.tsx'
import * as pullPage from './pulls/pull.page.tsx'
import * as reviewActsPage from './pulls/review-acts.page.tsx'
import * as passkeySignInRoutes from './entry/passkey.routes.tsx'
import * as releaseFilePages from './releases/release-file.page.ts'
import * as releaseFormPages from './releases/release-form.page.tsx'
import * as releasePages from './releases/releases.page.tsx'
import * as explorePage from './explore/explore.page.tsx'
import * as homePage from './home/home.page.tsx'
import * as notificationsPage from './notifications/notifications.page.tsx'
import * as palettePage from './search/palette.page.tsx'
import * as profilePage from './profile/profile.page.tsx'
import * as robotsRoutes from './search/robots.routes.ts'
import * as searchPage from './search/search.page.tsx'
import * as recoveryRoutes from './entry/recovery.routes.tsx'
import * as signInRoutes from './entry/sign-in.routes.tsx'
import * as sourceRoutes from './entry/source-sign-in.routes.tsx'
import * as signUpRoutes from './entry/sign-up.routes.tsx'
import * as twoFactorRoutes from './entry/two-factor.routes.tsx'
import * as unsubscribeRoutes from './links/unsubscribe.routes.tsx'
import * as wikiPages from './wiki/wiki.page.tsx'
import * as repoBranchesPages from './repository/settings/branches.page.tsx'
import * as repoKeysPages from './repository/settings/keys.page.tsx'
import * as repoSettingsPages from './repository/settings/general.page.tsx'

/** Pages. */
export const web: Feature = {
  credentials: [sessions],
  routes: [
    newOrganizationPages,
    administrationAuditPage,
    administrationOverviewPage,
    administrationPeoplePage,
    administrationWorkPage,
    apiDocsRoutes,
    assetRoutes,
    authorizeRoutes,
    createPages,
    ...codePages,
    deviceRoutes,
    forkPages,
    generatePages,
    ...issuePages,
    explorePage,
    homePage,
    marksPage,
    migratePages,
    newPullPage,
    pullActsPage,
    pullCommitsPage,
    pullFilesPage,
    pullPage,
    reviewActsPage,
    signInRoutes,
    signUpRoutes,
    notificationsPage,
    palettePage,
    passkeySignInRoutes,
    profilePage,
    recoveryRoutes,
    releaseFilePages,
    releaseFormPages,
    releasePages,
    robotsRoutes,
    searchPage,
    sourceRoutes,
    twoFactorRoutes,
    unsubscribeRoutes,
    wikiPages,
    repoBranchesPages,
    repoKeysPages,
    repoSettingsPages,
    actionsJobPage,
    actionsLive,
    actionsRunPage,
    packagesPage,
    actionsWorkflowsPage,
  ],
}
