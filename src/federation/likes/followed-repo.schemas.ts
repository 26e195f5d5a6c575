import { Type, type Static } from 'typebox'
import { dateTime, object, requestObject } from '../../http/schema.ts'

/** A repository on another server that is told of stars here. */
export const FollowedRepository = object('FollowedRepository', {
  url: Type.String(),
  created_at: dateTime(),
})
export type FollowedRepository = Static<typeof FollowedRepository>

export const SetFollowedRepositoriesOption = requestObject('SetFollowedRepositoriesOption', {
  /** The ids of their actors, which are addresses. */
  repositories: Type.Array(Type.String({ minLength: 1, maxLength: 2048 })),
})
export type SetFollowedRepositoriesOption = Static<typeof SetFollowedRepositoriesOption>
