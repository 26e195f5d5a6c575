import { Type } from 'typebox'
import { enumeration, object, requestObject } from '../../http/schema.ts'
import { Issue } from '../issue.schemas.ts'
import { relationWords } from './relation-word.ts'

export const IssueRelation = object('IssueRelation', {
  /** What the other issue is to this one. */
  relation: enumeration(...relationWords),
  issue: Issue,
})

export const IssueRelationOption = requestObject('IssueRelationOption', {
  relation: enumeration(...relationWords),
  owner: Type.Optional(Type.String()),
  repo: Type.Optional(Type.String()),
  index: Type.Optional(Type.Integer()),
})
