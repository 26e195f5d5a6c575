import { Type, type Static } from 'typebox'
import { requestObject } from '../http/schema.ts'

export const MigrateRepoOptions = requestObject('MigrateRepoOptions', {
  clone_addr: Type.String({ minLength: 1, maxLength: 2048 }),
  /** Id of the owner; `repo_owner` takes precedence. */
  uid: Type.Optional(Type.Integer()),
  repo_owner: Type.Optional(Type.String()),
  repo_name: Type.String({ minLength: 1, maxLength: 100, pattern: '^[\\w.-]*$' }),
  service: Type.Optional(Type.String()),
  description: Type.Optional(Type.String({ maxLength: 2048 })),
  auth_username: Type.Optional(Type.String()),
  auth_password: Type.Optional(Type.String()),
  auth_token: Type.Optional(Type.String()),
  mirror: Type.Optional(Type.Boolean()),
  lfs: Type.Optional(Type.Boolean()),
  lfs_endpoint: Type.Optional(Type.String()),
  private: Type.Optional(Type.Boolean()),
  wiki: Type.Optional(Type.Boolean()),
  milestones: Type.Optional(Type.Boolean()),
  labels: Type.Optional(Type.Boolean()),
  issues: Type.Optional(Type.Boolean()),
  pull_requests: Type.Optional(Type.Boolean()),
  releases: Type.Optional(Type.Boolean()),
  mirror_interval: Type.Optional(Type.String()),
})
export type MigrateRepoOptions = Static<typeof MigrateRepoOptions>
