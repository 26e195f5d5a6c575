import { Type, type Static } from 'typebox'
import { requestObject } from '../../http/schema.ts'

export const UpdateUserAvatarOption = requestObject('UpdateUserAvatarOption', { image: Type.String({ minLength: 1 }) })
export type UpdateUserAvatarOption = Static<typeof UpdateUserAvatarOption>
