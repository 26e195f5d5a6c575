import { Type, type Static } from 'typebox'
import { dateTime, nullable, object, requestObject } from '../../http/schema.ts'
import { Issue } from '../issue.schemas.ts'

export const TrackedTime = object('TrackedTime', {
  id: Type.Integer(),
  created: dateTime(),
  time: Type.Integer(),
  user_id: Type.Integer(), // deprecated
  user_name: Type.String(),
  issue_id: Type.Integer(), // deprecated
  issue: nullable(Issue),
})
export type TrackedTime = Static<typeof TrackedTime>

export const StopWatch = object('StopWatch', {
  created: dateTime(),
  seconds: Type.Integer(),
  duration: Type.String(),
  issue_index: Type.Integer(),
  issue_title: Type.String(),
  repo_owner_name: Type.String(),
  repo_name: Type.String(),
})
export type StopWatch = Static<typeof StopWatch>

export const AddTimeOption = requestObject('AddTimeOption', {
  time: Type.Integer(), // zero counts as missing
  created: Type.Optional(dateTime()),
  user_name: Type.Optional(Type.String()),
})
export type AddTimeOption = Static<typeof AddTimeOption>
