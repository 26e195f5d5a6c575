import { Type, type Static } from 'typebox'
import { object } from '../../http/schema.ts'

export const SyncForkInfo = object('SyncForkInfo', {
  allowed: Type.Boolean(),
  fork_commit: Type.String(),
  base_commit: Type.String(),
  commits_behind: Type.Integer(),
})
export type SyncForkInfo = Static<typeof SyncForkInfo>
