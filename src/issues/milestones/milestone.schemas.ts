import { Type, type Static } from 'typebox'
import { dateTime, enumeration, nullable, object, requestObject } from '../../http/schema.ts'

export const StateType = enumeration('open', 'closed', 'all')
export type StateType = Static<typeof StateType>

export const Milestone = object('Milestone', {
  id: Type.Integer(),
  title: Type.String(),
  description: Type.String(),
  state: StateType,
  open_issues: Type.Integer(),
  closed_issues: Type.Integer(),
  created_at: dateTime(),
  updated_at: nullable(dateTime()),
  closed_at: nullable(dateTime()),
  due_on: nullable(dateTime()),
})
export type Milestone = Static<typeof Milestone>

export const CreateMilestoneOption = requestObject('CreateMilestoneOption', {
  title: Type.Optional(Type.String()),
  description: Type.Optional(Type.String()),
  due_on: Type.Optional(dateTime()),
  state: Type.Optional(Type.String()), // expected: open, closed
})
export type CreateMilestoneOption = Static<typeof CreateMilestoneOption>

export const EditMilestoneOption = requestObject('EditMilestoneOption', {
  title: Type.Optional(Type.String()),
  description: Type.Optional(Type.String()),
  state: Type.Optional(Type.String()),
  due_on: Type.Optional(dateTime()),
})
export type EditMilestoneOption = Static<typeof EditMilestoneOption>
