import { Type, type Static } from 'typebox'
import { requestObject } from '../../http/schema.ts'

/** An account on another server: `name@host`, or the address of its actor. */
export const FollowElsewhereOption = requestObject('FollowElsewhereOption', {
  account: Type.String({ minLength: 1, maxLength: 2048 }),
})
export type FollowElsewhereOption = Static<typeof FollowElsewhereOption>
