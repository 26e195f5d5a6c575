import type { Texts } from '../translation.ts'
import { actionsTexts } from './actions.tsx'
import { administrationTexts } from './administration.tsx'
import { apiTexts } from './api.tsx'
import { auditTexts } from './audit.tsx'
import { blockedTexts } from './blocked.tsx'
import { boardTexts } from './boards.tsx'
import { cleanupTexts } from './cleanup.tsx'
import { codeSearchTexts } from './code-search.tsx'
import { codeTexts } from './code.tsx'
import { diffTexts } from './diff.tsx'
import { entryTexts } from './entry.tsx'
import { exploreTexts } from './explore.tsx'
import { commitMarkTexts, frameTexts, transferTexts } from './frames.tsx'
import { galleryTexts } from './gallery.tsx'
import { homeTexts } from './home.tsx'
import { hookTexts } from './hooks.tsx'
import { invitationTexts } from './invitations.tsx'
import { issueTexts, pullMarkTexts } from './issues.tsx'
import { labelTexts } from './labels.tsx'
import { listTexts } from './lists.tsx'
import { mineTexts } from './mine.tsx'
import { newRepositoryTexts } from './new-repository.tsx'
import { notificationTexts } from './notifications.tsx'
import {
  memberTexts,
  newOrganizationTexts,
  organizationSettingsTexts,
  organizationTexts,
  teamTexts,
} from './organizations.tsx'
import { packageTexts } from './packages.tsx'
import { pictureTexts } from './pictures.tsx'
import { milestoneTexts } from './plan.tsx'
import { profileTexts } from './profile.tsx'
import { pullTexts, rewriteTexts } from './pulls.tsx'
import { quotaTexts } from './quota.tsx'
import { releaseTexts } from './releases.tsx'
import { repositorySettingsTexts } from './repository-settings.tsx'
import { searchTexts } from './search.tsx'
import { secretTexts } from './secrets.tsx'
import { settingsTexts } from './settings.tsx'
import { shellTexts } from './shell.tsx'
import { sourceTexts } from './sources.tsx'
import { storageTexts } from './storage.tsx'
import { timelineTexts } from './timeline.tsx'
import { uiTexts } from './ui.tsx'
import { wikiTexts } from './wiki.tsx'

/** The texts of pages in German. The terms are those of the glossary (docs/languages.md). */
export const german: Texts = {
  actionsTexts,
  administrationTexts,
  apiTexts,
  auditTexts,
  blockedTexts,
  boardTexts,
  cleanupTexts,
  codeSearchTexts,
  codeTexts,
  commitMarkTexts,
  diffTexts,
  entryTexts,
  exploreTexts,
  frameTexts,
  galleryTexts,
  homeTexts,
  hookTexts,
  invitationTexts,
  issueTexts,
  labelTexts,
  listTexts,
  memberTexts,
  milestoneTexts,
  mineTexts,
  newOrganizationTexts,
  newRepositoryTexts,
  notificationTexts,
  organizationSettingsTexts,
  organizationTexts,
  packageTexts,
  pictureTexts,
  profileTexts,
  pullMarkTexts,
  pullTexts,
  quotaTexts,
  releaseTexts,
  repositorySettingsTexts,
  rewriteTexts,
  searchTexts,
  secretTexts,
  settingsTexts,
  shellTexts,
  sourceTexts,
  storageTexts,
  teamTexts,
  timelineTexts,
  transferTexts,
  uiTexts,
  wikiTexts,
}
