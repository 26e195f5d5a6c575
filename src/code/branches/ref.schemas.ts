import { Type, type Static } from 'typebox'
import { nullable, object } from '../../http/schema.ts'

export const GitObject = object('GitObject', {
  type: Type.String(),
  sha: Type.String(),
  url: Type.String(),
})
export type GitObject = Static<typeof GitObject>

export const Reference = object('Reference', {
  ref: Type.String(),
  url: Type.String(),
  object: nullable(GitObject),
})
export type Reference = Static<typeof Reference>
