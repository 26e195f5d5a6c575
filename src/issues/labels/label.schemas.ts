import { Type, type Static } from 'typebox'
import { dateTime, object, requestObject } from '../../http/schema.ts'

export const Label = object('Label', {
  id: Type.Integer(),
  name: Type.String(),
  exclusive: Type.Boolean(),
  is_archived: Type.Boolean(),
  color: Type.String(),
  description: Type.String(),
  url: Type.String(),
})
export type Label = Static<typeof Label>

export const CreateLabelOption = requestObject('CreateLabelOption', {
  name: Type.String({ minLength: 1 }),
  exclusive: Type.Optional(Type.Boolean()),
  color: Type.String({ minLength: 1 }),
  description: Type.Optional(Type.String()),
  is_archived: Type.Optional(Type.Boolean()),
})
export type CreateLabelOption = Static<typeof CreateLabelOption>

export const EditLabelOption = requestObject('EditLabelOption', {
  name: Type.Optional(Type.String()),
  exclusive: Type.Optional(Type.Boolean()),
  color: Type.Optional(Type.String()),
  description: Type.Optional(Type.String()),
  is_archived: Type.Optional(Type.Boolean()),
})
export type EditLabelOption = Static<typeof EditLabelOption>

export const IssueLabelsOption = requestObject('IssueLabelsOption', {
  /** Numbers or names. The service checks them, because a mixture is 400 and not 422. */
  labels: Type.Optional(Type.Array(Type.Unknown())),
  updated_at: Type.Optional(dateTime()),
})
export type IssueLabelsOption = Static<typeof IssueLabelsOption>

export const DeleteLabelsOption = requestObject('DeleteLabelsOption', { updated_at: Type.Optional(dateTime()) })
export type DeleteLabelsOption = Static<typeof DeleteLabelsOption>
