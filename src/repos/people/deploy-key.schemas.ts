import { Type, type Static } from 'typebox'
import { dateTime, nullable, object } from '../../http/schema.ts'
import { Repository } from '../repo.schemas.ts'

export const DeployKey = object('DeployKey', {
  id: Type.Integer(),
  key_id: Type.Integer(),
  key: Type.String(),
  url: Type.String(),
  title: Type.String(),
  fingerprint: Type.String(),
  created_at: dateTime(),
  read_only: Type.Boolean(),
  repository: Type.Optional(nullable(Repository)),
})
export type DeployKey = Static<typeof DeployKey>
