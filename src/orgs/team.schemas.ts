import { Type, type Static } from 'typebox'
import { enumeration, nullable, object, closedObject } from '../http/schema.ts'
import { Organization } from './org.schemas.ts'

export const Team = object('Team', {
  id: Type.Integer(),
  name: Type.String(),
  description: Type.String(),
  organization: nullable(Organization),
  includes_all_repositories: Type.Boolean(),
  permission: enumeration('none', 'read', 'write', 'admin', 'owner'),
  units: nullable(Type.Array(Type.String())),
  units_map: nullable(Type.Record(Type.String(), Type.String())),
  can_create_org_repo: Type.Boolean(),
})
export type Team = Static<typeof Team>

export const TeamSearchResults = object('TeamSearchResults', {
  ok: Type.Boolean(),
  data: Type.Array(Team),
})
export type TeamSearchResults = Static<typeof TeamSearchResults>

const access = {
  description: Type.Optional(Type.String({ maxLength: 255 })),
  includes_all_repositories: Type.Optional(Type.Boolean()),
  /** Any other word than read, write and admin means no access (observed). */
  permission: Type.Optional(Type.String()),
  units: Type.Optional(Type.Array(Type.String())),
  units_map: Type.Optional(Type.Record(Type.String(), Type.String())),
  can_create_org_repo: Type.Optional(Type.Boolean()),
}

export const CreateTeamOption = closedObject('CreateTeamOption', {
  name: Type.String({ minLength: 1, maxLength: 255, pattern: '^[A-Za-z0-9_.-]*$' }),
  ...access,
})
export type CreateTeamOption = Static<typeof CreateTeamOption>

export const EditTeamOption = closedObject(
  'EditTeamOption',
  {
    name: Type.Optional(Type.String({ maxLength: 255, pattern: '^[A-Za-z0-9_.-]*$' })),
    ...access,
  },
  { ignored: ['id', 'organization'] },
)
export type EditTeamOption = Static<typeof EditTeamOption>
