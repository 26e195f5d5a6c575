import { Type, type Static } from 'typebox'
import { dateTime, nullable, object, requestObject } from '../../http/schema.ts'
import { User } from '../../users/user.schemas.ts'
import { Repository } from '../../repos/repo.schemas.ts'

export const CommitStatus = object('CommitStatus', {
  id: Type.Integer(),
  status: Type.String(),
  target_url: Type.String(),
  description: Type.String(),
  url: Type.String(),
  context: Type.String(),
  creator: nullable(User),
  created_at: dateTime(),
  updated_at: dateTime(),
})
export type CommitStatus = Static<typeof CommitStatus>

export const CombinedStatus = object('CombinedStatus', {
  state: Type.String(),
  sha: Type.String(),
  total_count: Type.Integer(),
  statuses: nullable(Type.Array(CommitStatus)),
  repository: nullable(Repository),
  commit_url: Type.String(),
  url: Type.String(),
})
export type CombinedStatus = Static<typeof CombinedStatus>

export const CreateStatusOption = requestObject('CreateStatusOption', {
  /** Any text is stored; the known states are success, pending, error, failure and warning (observed). */
  state: Type.Optional(Type.String()),
  target_url: Type.Optional(Type.String()),
  description: Type.Optional(Type.String()),
  context: Type.Optional(Type.String()),
})
export type CreateStatusOption = Static<typeof CreateStatusOption>
