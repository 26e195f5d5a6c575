import { Type } from 'typebox'
import { requestObject } from '../http/schema.ts'

/** An image in base64. */
export const UpdateRepoAvatarOption = requestObject('UpdateRepoAvatarOption', {
  image: Type.String({ minLength: 1 }),
})
