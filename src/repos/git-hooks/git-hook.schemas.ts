import { Type, type Static } from 'typebox'
import { object, closedObject } from '../../http/schema.ts'

export const EditGitHookOption = closedObject('EditGitHookOption', {
  content: Type.Optional(Type.String()),
})
export type EditGitHookOption = Static<typeof EditGitHookOption>

export const GitHook = object('GitHook', {
  name: Type.String(),
  is_active: Type.Boolean(),
  content: Type.Optional(Type.String()),
})
export type GitHook = Static<typeof GitHook>
