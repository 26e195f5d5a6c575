import type { UserRow } from '../../db/tables/accounts.ts'
import type { UserSettings } from './settings.schemas.ts'

export const presentSettings = (user: UserRow): UserSettings => ({
  full_name: user.full_name,
  website: user.website,
  description: user.description,
  location: user.location,
  pronouns: user.pronouns,
  language: user.language,
  theme: user.theme,
  diff_view_style: user.diff_view_style,
  enable_repo_unit_hints: user.enable_repo_unit_hints,
  hide_email: user.keep_email_private,
  hide_pronouns: user.hide_pronouns,
  hide_activity: user.hide_activity,
  email_notifications: user.email_notifications,
})
