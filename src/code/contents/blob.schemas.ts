import { Type, type Static } from 'typebox'
import { object } from '../../http/schema.ts'

export const GitBlobResponse = object('GitBlobResponse', {
  content: Type.String(),
  encoding: Type.String(),
  url: Type.String(),
  sha: Type.String(),
  size: Type.Integer(),
})
export type GitBlobResponse = Static<typeof GitBlobResponse>
