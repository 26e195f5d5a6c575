import { Type, type Static } from 'typebox'
import { enumeration, object, requestObject } from '../../http/schema.ts'

/** Mails about other people's actions; an addition to the contract. */
const emailNotifications = enumeration('enabled', 'onmention', 'andyourown', 'disabled')

export const UserSettings = object('UserSettings', {
  full_name: Type.String(),
  website: Type.String(),
  description: Type.String(),
  location: Type.String(),
  pronouns: Type.String(),
  language: Type.String(),
  theme: Type.String(),
  diff_view_style: Type.String(),
  enable_repo_unit_hints: Type.Boolean(),
  hide_email: Type.Boolean(),
  hide_pronouns: Type.Boolean(),
  hide_activity: Type.Boolean(),
  email_notifications: emailNotifications,
})
export type UserSettings = Static<typeof UserSettings>

export const UserSettingsOptions = requestObject('UserSettingsOptions', {
  full_name: Type.Optional(Type.String({ maxLength: 100 })),
  website: Type.Optional(Type.String({ maxLength: 255 })),
  description: Type.Optional(Type.String({ maxLength: 255 })),
  location: Type.Optional(Type.String({ maxLength: 50 })),
  pronouns: Type.Optional(Type.String({ maxLength: 50 })),
  language: Type.Optional(Type.String({ maxLength: 255 })),
  theme: Type.Optional(Type.String({ maxLength: 255 })),
  diff_view_style: Type.Optional(Type.String({ maxLength: 255 })),
  enable_repo_unit_hints: Type.Optional(Type.Boolean()),
  hide_email: Type.Optional(Type.Boolean()),
  hide_pronouns: Type.Optional(Type.Boolean()),
  hide_activity: Type.Optional(Type.Boolean()),
  email_notifications: Type.Optional(emailNotifications),
})
export type UserSettingsOptions = Static<typeof UserSettingsOptions>
