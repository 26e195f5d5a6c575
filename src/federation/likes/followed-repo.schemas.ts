import { Type, type Static } from 'typebox'
import { dateTime, object, requestObject } from '../../http/schema.ts'

/** A repository on another server that gets the stars of a repository as likes. */
export const FollowedRepository = object('FollowedRepository', {
  url: Type.String(),
  created_at: dateTime(),
})
export type FollowedRepository = Static<typeof FollowedRepository>

export const SetFollowedRepositoriesOption = requestObject('SetFollowedRepositoriesOption', {
  /** The addresses of their actors. */
  repositories: Type.Array(Type.String({ minLength: 1, maxLength: 2048 })),
})
export type SetFollowedRepositoriesOption = Static<typeof SetFollowedRepositoriesOption>
