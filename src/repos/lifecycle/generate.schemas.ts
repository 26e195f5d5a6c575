import { Type, type Static } from 'typebox'
import { requestObject } from '../../http/schema.ts'

export const GenerateRepoOption = requestObject('GenerateRepoOption', {
  owner: Type.Optional(Type.String()),
  name: Type.String({ minLength: 1, maxLength: 100, pattern: '^[A-Za-z0-9_.-]*$' }),
  description: Type.Optional(Type.String({ maxLength: 2048 })),
  default_branch: Type.Optional(Type.String({ maxLength: 100 })),
  private: Type.Optional(Type.Boolean()),
  git_content: Type.Optional(Type.Boolean()),
  topics: Type.Optional(Type.Boolean()),
  git_hooks: Type.Optional(Type.Boolean()),
  webhooks: Type.Optional(Type.Boolean()),
  avatar: Type.Optional(Type.Boolean()),
  labels: Type.Optional(Type.Boolean()),
  protected_branch: Type.Optional(Type.Boolean()),
})
export type GenerateRepoOption = Static<typeof GenerateRepoOption>
