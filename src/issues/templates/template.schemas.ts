import { Type, type Static } from 'typebox'
import { enumeration, nullable, object } from '../../http/schema.ts'

export const IssueFormField = object('IssueFormField', {
  type: enumeration('markdown', 'textarea', 'input', 'dropdown', 'checkboxes'),
  id: Type.String(),
  attributes: nullable(Type.Record(Type.String(), Type.Unknown())),
  validations: nullable(Type.Record(Type.String(), Type.Unknown())),
  visible: Type.Optional(nullable(Type.Array(enumeration('form', 'content')))),
})
export type IssueFormField = Static<typeof IssueFormField>

export const IssueTemplate = object('IssueTemplate', {
  name: Type.String(),
  title: Type.String(),
  about: Type.String(),
  labels: nullable(Type.Array(Type.String())),
  assignees: Type.Optional(nullable(Type.Array(Type.String()))),
  ref: Type.String(),
  content: Type.String(),
  body: nullable(Type.Array(IssueFormField)),
  file_name: Type.String(),
})
export type IssueTemplate = Static<typeof IssueTemplate>

export const IssueConfigContactLink = object('IssueConfigContactLink', {
  name: Type.String(),
  url: Type.String(),
  about: Type.String(),
})
export type IssueConfigContactLink = Static<typeof IssueConfigContactLink>

export const IssueConfig = object('IssueConfig', {
  blank_issues_enabled: Type.Boolean(),
  contact_links: nullable(Type.Array(IssueConfigContactLink)),
})
export type IssueConfig = Static<typeof IssueConfig>

export const IssueConfigValidation = object('IssueConfigValidation', {
  valid: Type.Boolean(),
  message: Type.String(),
})
export type IssueConfigValidation = Static<typeof IssueConfigValidation>
