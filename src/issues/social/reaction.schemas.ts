import { Type, type Static } from 'typebox'
import { dateTime, nullable, object, requestObject } from '../../http/schema.ts'
import { User } from '../../users/user.schemas.ts'

export const Reaction = object('Reaction', {
  user: nullable(User),
  content: Type.String(),
  created_at: dateTime(),
})
export type Reaction = Static<typeof Reaction>

export const EditReactionOption = requestObject('EditReactionOption', { content: Type.Optional(Type.String()) })
export type EditReactionOption = Static<typeof EditReactionOption>
