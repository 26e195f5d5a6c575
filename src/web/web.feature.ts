import type { Feature } from '../access/feature.ts'
import * as actionsEnvironmentsPage from './actions/environments.page.tsx'
import * as actionsJobPage from './actions/job.page.tsx'
import * as actionsLiveRoutes from './actions/live.routes.ts'
import * as actionsRunPage from './actions/run.page.tsx'
import * as actionsWorkflowsPage from './actions/workflows.page.tsx'
import * as administrationAuditPage from './administration/audit/audit.page.tsx'
import * as administrationInstanceFlagsPage from './administration/instance/flags.page.tsx'
import * as administrationInstanceHooksPage from './administration/instance/hooks.page.tsx'
import * as administrationInstanceOverviewPage from './administration/instance/overview.page.tsx'
import * as administrationInstanceRunnersPage from './administration/instance/runners.page.tsx'
import * as administrationInstanceWorkPage from './administration/instance/work.page.tsx'
import * as administrationPeopleEmailsPage from './administration/people/emails.page.tsx'
import * as administrationPeopleOrganizationsPage from './administration/people/organizations.page.tsx'
import * as administrationPeoplePage from './administration/people/people.page.tsx'
import * as administrationPeoplePersonPartsPage from './administration/people/person-parts.page.tsx'
import * as administrationQuotaPage from './administration/quota/quota.page.tsx'
import * as administrationRepositoriesPackagesPage from './administration/repositories/packages.page.tsx'
import * as administrationRepositoriesPage from './administration/repositories/repositories.page.tsx'
import * as administrationRepositoriesUnadoptedPage from './administration/repositories/unadopted.page.tsx'
import * as administrationSourcesPage from './administration/sources/sources.page.tsx'
import * as apiDocsRoutes from './api/api-docs.routes.tsx'
import * as boardsPage from './boards/boards.page.tsx'
import * as codeActivityPage from './code/activity/activity.page.tsx'
import * as codeActivityPeoplePage from './code/activity/people.page.tsx'
import * as codeCommitsCommitPage from './code/commits/commit.page.tsx'
import * as codeCommitsPage from './code/commits/commits.page.tsx'
import * as codeCommitsComparePage from './code/commits/compare.page.tsx'
import * as codeEditPage from './code/edit/edit.page.tsx'
import * as codeEditReplayPage from './code/edit/replay.page.tsx'
import * as codeEditUploadPage from './code/edit/upload.page.tsx'
import * as codeFilesBlamePage from './code/files/blame.page.tsx'
import * as codeFilesCodeSearchPage from './code/files/code-search.page.tsx'
import * as codeFilesFindPage from './code/files/find.page.tsx'
import * as codeFilesSourcePage from './code/files/source.page.tsx'
import * as codeHomePage from './code/home/home.page.tsx'
import * as codeRefsBranchesPage from './code/refs/branches.page.tsx'
import * as codeRefsTagsPage from './code/refs/tags.page.tsx'
import * as conversationsSideActsPage from './conversations/side-acts.page.tsx'
import * as conversationsTextActsPage from './conversations/text-acts.page.tsx'
import * as entryAuthorizeRoutes from './entry/authorize.routes.tsx'
import * as entryDeviceRoutes from './entry/device.routes.tsx'
import * as entryInvitationPage from './entry/invitation.page.tsx'
import * as entryLanguageRoutes from './entry/language.routes.tsx'
import * as entryPasskeyRoutes from './entry/passkey.routes.tsx'
import * as entryRecoveryRoutes from './entry/recovery.routes.tsx'
import * as entrySignInRoutes from './entry/sign-in.routes.tsx'
import * as entrySignUpRoutes from './entry/sign-up.routes.tsx'
import * as entrySourceSignInRoutes from './entry/source-sign-in.routes.tsx'
import * as entryTwoFactorRoutes from './entry/two-factor.routes.tsx'
import * as explorePage from './explore/explore.page.tsx'
import * as galleryPage from './gallery/gallery.page.tsx'
import * as homePage from './home/home.page.tsx'
import * as issuesHistoryPage from './issues/history.page.tsx'
import * as issuesIssuePage from './issues/issue.page.tsx'
import * as issuesLabelPage from './issues/label.page.tsx'
import * as issuesListPage from './issues/list.page.tsx'
import * as issuesLivePage from './issues/live.page.tsx'
import * as issuesMilestonePage from './issues/milestone.page.tsx'
import * as issuesMinePage from './issues/mine.page.tsx'
import * as issuesMyMilestonesPage from './issues/my-milestones.page.tsx'
import * as issuesNewPage from './issues/new.page.tsx'
import * as issuesOrganizationPage from './issues/organization.page.tsx'
import * as issuesUploadPage from './issues/upload.page.ts'
import * as issuesWritingPage from './issues/writing.page.tsx'
import * as linksOtherAddressesRoutes from './links/other-addresses.routes.ts'
import * as linksUnsubscribeRoutes from './links/unsubscribe.routes.tsx'
import * as notificationsPage from './notifications/notifications.page.tsx'
import * as notificationsSubscriptionsPage from './notifications/subscriptions.page.tsx'
import * as organizationsActionsPage from './organizations/actions.page.tsx'
import * as organizationsAvatarPage from './organizations/avatar.page.ts'
import * as organizationsBlockedPage from './organizations/blocked.page.tsx'
import * as organizationsHooksPage from './organizations/hooks.page.tsx'
import * as organizationsLabelsPage from './organizations/labels.page.tsx'
import * as organizationsMembersPage from './organizations/members.page.tsx'
import * as organizationsNewOrganizationPage from './organizations/new-organization.page.tsx'
import * as organizationsPackagesPage from './organizations/packages.page.tsx'
import * as organizationsSettingsPage from './organizations/settings.page.tsx'
import * as organizationsStoragePage from './organizations/storage.page.tsx'
import * as organizationsTeamEditPage from './organizations/team-edit.page.tsx'
import * as organizationsTeamPage from './organizations/team.page.tsx'
import * as organizationsTeamsPage from './organizations/teams.page.tsx'
import * as packagesPackageFilePage from './packages/package-file.page.ts'
import * as packagesPackageSettingsPage from './packages/package-settings.page.tsx'
import * as packagesPage from './packages/packages.page.tsx'
import * as profilePinsPage from './profile/pins.page.tsx'
import * as profilePage from './profile/profile.page.tsx'
import * as pullsNewPullPage from './code/commits/new-pull.page.tsx'
import * as pullsPullActsPage from './pulls/pull-acts.page.tsx'
import * as pullsPullCommitsPage from './pulls/pull-commits.page.tsx'
import * as pullsPullFilesPage from './pulls/pull-files.page.tsx'
import * as pullsPullPage from './pulls/pull.page.tsx'
import * as pullsPushPage from './pulls/push.page.tsx'
import * as pullsReviewActsPage from './pulls/review-acts.page.tsx'
import * as releasesNewReleasePage from './releases/new-release.page.ts'
import * as releasesReleaseFilePage from './releases/release-file.page.ts'
import * as releasesReleaseFormPage from './releases/release-form.page.tsx'
import * as releasesPage from './releases/releases.page.tsx'
import * as repositoryMarksPage from './repository/marks.page.tsx'
import * as repositoryNewCreatePage from './repository/new/create.page.tsx'
import * as repositoryNewForkPage from './repository/new/fork.page.tsx'
import * as repositoryNewGeneratePage from './repository/new/generate.page.tsx'
import * as repositoryNewMigratePage from './repository/new/migrate.page.tsx'
import * as repositorySettingsActionsPage from './repository/settings/actions.page.tsx'
import * as repositorySettingsAvatarPage from './repository/settings/avatar.page.ts'
import * as repositorySettingsBranchesPage from './repository/settings/branches.page.tsx'
import * as repositorySettingsCachesPage from './repository/settings/caches.page.tsx'
import * as repositorySettingsCandidatesPage from './repository/settings/candidates.page.tsx'
import * as repositorySettingsCollaborationPage from './repository/settings/collaboration.page.tsx'
import * as repositorySettingsGeneralPage from './repository/settings/general.page.tsx'
import * as repositorySettingsGitHooksPage from './repository/settings/git-hooks.page.tsx'
import * as repositorySettingsHooksPage from './repository/settings/hooks.page.tsx'
import * as repositorySettingsKeysPage from './repository/settings/keys.page.tsx'
import * as repositorySettingsLfsPage from './repository/settings/lfs.page.tsx'
import * as repositorySettingsMirrorsPage from './repository/settings/mirrors.page.tsx'
import * as repositorySettingsTagsPage from './repository/settings/tags.page.tsx'
import * as repositoryTransferPage from './repository/transfer.page.tsx'
import * as searchPalettePage from './search/palette.page.tsx'
import * as searchRobotsRoutes from './search/robots.routes.ts'
import * as searchPage from './search/search.page.tsx'
import * as settingsAccountPage from './settings/account/account.page.tsx'
import * as settingsAccountChoosePasswordRoutes from './settings/account/choose-password.routes.tsx'
import * as settingsAccountConfirmAddressRoutes from './settings/account/confirm-address.routes.tsx'
import * as settingsAccountLinkedAccountsPage from './settings/account/linked-accounts.page.tsx'
import * as settingsApplicationsPage from './settings/applications/applications.page.tsx'
import * as settingsApplicationsOauthApplicationPage from './settings/applications/oauth-application.page.tsx'
import * as settingsBelongingsActionsPage from './settings/belongings/actions.page.tsx'
import * as settingsBelongingsPage from './settings/belongings/belongings.page.tsx'
import * as settingsBelongingsHooksPage from './settings/belongings/hooks.page.tsx'
import * as settingsBelongingsPackagesPage from './settings/belongings/packages.page.tsx'
import * as settingsProfileAvatarPage from './settings/profile/avatar.page.ts'
import * as settingsProfileBlockedPage from './settings/profile/blocked.page.tsx'
import * as settingsProfilePreferencesPage from './settings/profile/preferences.page.tsx'
import * as settingsProfilePage from './settings/profile/profile.page.tsx'
import * as settingsRepliesPage from './settings/replies/replies.page.tsx'
import * as settingsSecurityKeysPage from './settings/security/keys.page.tsx'
import * as settingsSecurityPasskeyPage from './settings/security/passkey.page.tsx'
import * as settingsSecurityPage from './settings/security/security.page.tsx'
import * as settingsSecuritySessionsPage from './settings/security/sessions.page.tsx'
import * as settingsSecurityTwoFactorPage from './settings/security/two-factor.page.tsx'
import * as shellAssetsRoutes from './shell/assets.routes.ts'
import * as shellUnknownAddressRoutes from './shell/unknown-address.routes.ts'
import * as wikiCommitPage from './wiki/wiki-commit.page.tsx'
import * as wikiFilePage from './wiki/wiki-file.page.ts'
import * as wikiPage from './wiki/wiki.page.tsx'
import { sessions } from './shell/browser.credentials.ts'

/** All pages, forms and files of the web interface, and sessions of browsers. */
export const web: Feature = {
  credentials: [sessions],
  routes: [
    apiDocsRoutes,
    shellAssetsRoutes,
    explorePage,
    galleryPage,
    homePage,
    notificationsPage,
    linksOtherAddressesRoutes,
    profilePinsPage,
    profilePage,
    notificationsSubscriptionsPage,
    shellUnknownAddressRoutes,
    linksUnsubscribeRoutes,
    wikiCommitPage,
    wikiFilePage,
    wikiPage,
    actionsEnvironmentsPage,
    actionsJobPage,
    actionsLiveRoutes,
    actionsRunPage,
    actionsWorkflowsPage,
    administrationAuditPage,
    administrationPeopleEmailsPage,
    administrationInstanceFlagsPage,
    administrationInstanceHooksPage,
    administrationPeopleOrganizationsPage,
    administrationInstanceOverviewPage,
    administrationRepositoriesPackagesPage,
    administrationPeoplePage,
    administrationPeoplePersonPartsPage,
    administrationQuotaPage,
    administrationRepositoriesPage,
    administrationInstanceRunnersPage,
    administrationSourcesPage,
    administrationRepositoriesUnadoptedPage,
    administrationInstanceWorkPage,
    boardsPage,
    codeActivityPage,
    codeFilesBlamePage,
    codeRefsBranchesPage,
    codeFilesCodeSearchPage,
    codeCommitsCommitPage,
    codeCommitsPage,
    codeCommitsComparePage,
    codeEditPage,
    codeFilesFindPage,
    codeHomePage,
    codeActivityPeoplePage,
    codeEditReplayPage,
    codeFilesSourcePage,
    codeRefsTagsPage,
    codeEditUploadPage,
    conversationsSideActsPage,
    conversationsTextActsPage,
    entryAuthorizeRoutes,
    entryDeviceRoutes,
    entryInvitationPage,
    entryLanguageRoutes,
    entryPasskeyRoutes,
    entryRecoveryRoutes,
    entrySignInRoutes,
    entrySignUpRoutes,
    entrySourceSignInRoutes,
    entryTwoFactorRoutes,
    issuesHistoryPage,
    issuesIssuePage,
    issuesLabelPage,
    issuesListPage,
    issuesLivePage,
    issuesMilestonePage,
    issuesMinePage,
    issuesMyMilestonesPage,
    issuesNewPage,
    issuesOrganizationPage,
    issuesUploadPage,
    issuesWritingPage,
    organizationsActionsPage,
    organizationsAvatarPage,
    organizationsBlockedPage,
    organizationsHooksPage,
    organizationsLabelsPage,
    organizationsMembersPage,
    organizationsNewOrganizationPage,
    organizationsPackagesPage,
    organizationsSettingsPage,
    organizationsStoragePage,
    organizationsTeamPage,
    organizationsTeamEditPage,
    organizationsTeamsPage,
    packagesPackageFilePage,
    packagesPackageSettingsPage,
    packagesPage,
    pullsNewPullPage,
    pullsPullActsPage,
    pullsPullCommitsPage,
    pullsPullFilesPage,
    pullsPullPage,
    pullsPushPage,
    pullsReviewActsPage,
    releasesNewReleasePage,
    releasesReleaseFilePage,
    releasesReleaseFormPage,
    releasesPage,
    repositoryMarksPage,
    repositoryTransferPage,
    repositoryNewCreatePage,
    repositoryNewForkPage,
    repositoryNewGeneratePage,
    repositoryNewMigratePage,
    repositorySettingsAvatarPage,
    repositorySettingsBranchesPage,
    repositorySettingsGeneralPage,
    repositorySettingsKeysPage,
    repositorySettingsCollaborationPage,
    repositorySettingsGitHooksPage,
    repositorySettingsHooksPage,
    repositorySettingsActionsPage,
    repositorySettingsCachesPage,
    repositorySettingsCandidatesPage,
    repositorySettingsLfsPage,
    repositorySettingsMirrorsPage,
    repositorySettingsTagsPage,
    searchPalettePage,
    searchRobotsRoutes,
    searchPage,
    settingsAccountPage,
    settingsBelongingsActionsPage,
    settingsApplicationsOauthApplicationPage,
    settingsApplicationsPage,
    settingsProfileAvatarPage,
    settingsBelongingsPage,
    settingsProfileBlockedPage,
    settingsAccountChoosePasswordRoutes,
    settingsAccountConfirmAddressRoutes,
    settingsBelongingsHooksPage,
    settingsSecurityKeysPage,
    settingsAccountLinkedAccountsPage,
    settingsBelongingsPackagesPage,
    settingsSecurityPasskeyPage,
    settingsProfilePreferencesPage,
    settingsProfilePage,
    settingsRepliesPage,
    settingsSecurityPage,
    settingsSecuritySessionsPage,
    settingsSecurityTwoFactorPage,
  ],
}
