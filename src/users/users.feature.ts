import type { Feature } from '../access/feature.ts'
import { twoFactorPurpose } from '../auth/two-factor.service.ts'
import * as userRoutes from './user.routes.ts'
import * as tokenRoutes from './credentials/token.routes.ts'
import * as userSettingsRoutes from './settings/settings.routes.ts'
import * as emailRoutes from './email.routes.ts'
import * as sessionRoutes from './credentials/session.routes.ts'
import * as keyRoutes from './credentials/key.routes.ts'
import * as keyTextRoutes from './credentials/key-text.routes.ts'
import * as gpgKeyRoutes from './credentials/gpg-key.routes.ts'
import * as followRoutes from './social/follow.routes.ts'
import * as blockRoutes from './social/block.routes.ts'
import * as avatarRoutes from './avatars/avatar.routes.ts'
import { removeReplacedAvatar } from './avatars/avatar.subscribers.ts'
import { accountCounters } from './counter.store.ts'
import { passwordRanges } from './credentials/password-range.ts'
import { deleteExpiredSessions } from './credentials/delete-expired-sessions.task.ts'
import { deleteOldLinks } from './entry/delete-old-links.task.ts'
import { deleteSentForms } from './sent-forms/delete-sent-forms.task.ts'
import { entryLimits } from './entry/entry-limits.ts'
import { countAccounts } from './total.store.ts'
import { follows } from './user.owned.ts'
import { emptyPurgedEvents } from './purge.subscribers.ts'

/** Accounts: settings, addresses, keys, tokens, pictures, follows and blocks. */
export const users: Feature = {
  routes: [
    userRoutes,
    tokenRoutes,
    sessionRoutes,
    userSettingsRoutes,
    emailRoutes,
    keyRoutes,
    keyTextRoutes,
    gpgKeyRoutes,
    followRoutes,
    blockRoutes,
    avatarRoutes,
  ],
  subscribers: [removeReplacedAvatar, emptyPurgedEvents],
  schedules: () => [deleteExpiredSessions, deleteOldLinks, deleteSentForms],
  services: [entryLimits, passwordRanges],
  sealed: [{ table: 'two_factor', column: 'sealed', purpose: twoFactorPurpose }],
  files: [{ table: 'user', column: 'avatar_key', store: 'avatars' }],
  counters: accountCounters,
  totals: countAccounts,
  owns: [follows],
}
