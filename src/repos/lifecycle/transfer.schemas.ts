import { Type, type Static } from 'typebox'
import { requestObject } from '../../http/schema.ts'

export const TransferRepoOption = requestObject('TransferRepoOption', {
  new_owner: Type.Optional(Type.String()),
  team_ids: Type.Optional(Type.Array(Type.Integer(), { maxItems: 1000 })),
})
export type TransferRepoOption = Static<typeof TransferRepoOption>
