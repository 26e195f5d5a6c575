import { Type, type Static } from 'typebox'
import { nullable, object } from '../../http/schema.ts'

export const GitEntry = object('GitEntry', {
  path: Type.String(),
  mode: Type.String(),
  type: Type.String(),
  size: Type.Integer(),
  sha: Type.String(),
  url: Type.String(),
})
export type GitEntry = Static<typeof GitEntry>

export const GitTreeResponse = object('GitTreeResponse', {
  sha: Type.String(),
  url: Type.String(),
  tree: nullable(Type.Array(GitEntry)),
  truncated: Type.Boolean(),
  page: Type.Integer(),
  total_count: Type.Integer(),
})
export type GitTreeResponse = Static<typeof GitTreeResponse>
