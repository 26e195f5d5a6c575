import { Type, type Static } from 'typebox'
import { object } from '../http/schema.ts'

export const GeneralUISettings = object('GeneralUISettings', {
  default_theme: Type.String(),
  allowed_reactions: Type.Array(Type.String()),
  custom_emojis: Type.Array(Type.String()),
})
export type GeneralUISettings = Static<typeof GeneralUISettings>

export const GeneralAPISettings = object('GeneralAPISettings', {
  max_response_items: Type.Integer(),
  default_paging_num: Type.Integer(),
  default_git_trees_per_page: Type.Integer(),
  default_max_blob_size: Type.Integer(),
})
export type GeneralAPISettings = Static<typeof GeneralAPISettings>

export const GeneralAttachmentSettings = object('GeneralAttachmentSettings', {
  enabled: Type.Boolean(),
  allowed_types: Type.String(),
  max_size: Type.Integer(),
  max_files: Type.Integer(),
})
export type GeneralAttachmentSettings = Static<typeof GeneralAttachmentSettings>

export const GeneralRepoSettings = object('GeneralRepoSettings', {
  mirrors_disabled: Type.Boolean(),
  http_git_disabled: Type.Boolean(),
  migrations_disabled: Type.Boolean(),
  stars_disabled: Type.Boolean(),
  forks_disabled: Type.Boolean(),
  time_tracking_disabled: Type.Boolean(),
  lfs_disabled: Type.Boolean(),
})
export type GeneralRepoSettings = Static<typeof GeneralRepoSettings>
