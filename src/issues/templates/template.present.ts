import type { IssueConfig, IssueTemplate } from './template.parse.ts'
import type * as shapes from './template.schemas.ts'

export const presentIssueTemplate = (template: IssueTemplate): shapes.IssueTemplate => ({
  name: template.name,
  title: template.title,
  about: template.about,
  labels: template.labels.length > 0 ? [...template.labels] : null,
  assignees: template.assignees.length > 0 ? [...template.assignees] : null,
  ref: template.ref,
  content: template.content,
  body: template.fields?.map(({ visibleIn, ...field }) => ({ ...field, visible: [...visibleIn] })) ?? null,
  file_name: template.path,
})

export const presentIssueConfig = (config: IssueConfig): shapes.IssueConfig => ({
  blank_issues_enabled: config.allowsBlank,
  contact_links: config.contactLinks.map((link) => ({ ...link })),
})
