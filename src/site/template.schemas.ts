import { Type, type Static } from 'typebox'
import { object } from '../http/schema.ts'

export const GitignoreTemplateInfo = object('GitignoreTemplateInfo', {
  name: Type.String(),
  source: Type.String(),
})
export type GitignoreTemplateInfo = Static<typeof GitignoreTemplateInfo>

export const LabelTemplate = object('LabelTemplate', {
  name: Type.String(),
  exclusive: Type.Boolean(),
  color: Type.String(),
  description: Type.String(),
})
export type LabelTemplate = Static<typeof LabelTemplate>

export const LicensesTemplateListEntry = object('LicensesTemplateListEntry', {
  key: Type.String(),
  name: Type.String(),
  url: Type.String(),
})
export type LicensesTemplateListEntry = Static<typeof LicensesTemplateListEntry>

export const LicenseTemplateInfo = object('LicenseTemplateInfo', {
  key: Type.String(),
  name: Type.String(),
  url: Type.String(),
  implementation: Type.String(),
  body: Type.String(),
})
export type LicenseTemplateInfo = Static<typeof LicenseTemplateInfo>
