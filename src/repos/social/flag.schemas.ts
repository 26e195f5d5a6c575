import { Type, type Static } from 'typebox'
import { requestObject } from '../../http/schema.ts'

export const ReplaceFlagsOption = requestObject('ReplaceFlagsOption', {
  flags: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 255 }), { maxItems: 100 })),
})
export type ReplaceFlagsOption = Static<typeof ReplaceFlagsOption>
