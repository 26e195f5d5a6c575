import { counted } from '../amounts.ts'

/** Texts of the pages of labels. */
export const labelTexts = {
  title: 'Labels',
  lead: 'Labels sort issues and pull requests.',
  organizationLead: 'All repositories of the organization offer these labels beside their own.',
  create: 'New label',
  find: 'Find label',
  name: 'Name',
  description: 'Description',
  color: 'Colour',
  exclusive: 'Exclusive',
  exclusiveHint: 'A slash in the name makes a scope, such as priority/high. An issue has one label of a scope.',
  archived: 'Archived',
  save: 'Save label',
  add: 'Create label',
  issues: (count: number) => counted(count, 'open issue', 'open issues'),
  empty: 'No labels yet',
  emptyLead: 'Create a label, such as bug or question, to sort what people write.',
  emptyName: 'Write a name.',
  created: (name: string) => `The label ${name} is created.`,
  saved: (name: string) => `The label ${name} is saved.`,
  deleted: 'The label is deleted.',
  deleteQuestion: (name: string) => `Delete the label ${name}? All issues lose it.`,
  ofOrganization: (name: string) => `Labels of ${name}`,
  edit: (name: string) => `Edit ${name}`,
  delete: (name: string) => `Delete ${name}`,
}
