import { Type, type Static } from 'typebox'
import { dateTime, object } from '../../http/schema.ts'

export const BlockedUser = object('BlockedUser', { block_id: Type.Integer(), created_at: dateTime() })
export type BlockedUser = Static<typeof BlockedUser>
