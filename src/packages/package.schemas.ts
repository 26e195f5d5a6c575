import { Type, type Static } from 'typebox'
import { dateTime, nullable, object } from '../http/schema.ts'
import { Repository } from '../repos/repo.schemas.ts'
import { User } from '../users/user.schemas.ts'

export const Package = object('Package', {
  id: Type.Integer(),
  owner: nullable(User),
  repository: nullable(Repository),
  creator: nullable(User),
  type: Type.String(),
  name: Type.String(),
  version: Type.String(),
  html_url: Type.String(),
  created_at: dateTime(),
})
export type Package = Static<typeof Package>

export const PackageFile = object('PackageFile', {
  id: Type.Integer(),
  Size: Type.Integer(),
  name: Type.String(),
  md5: Type.String(),
  sha1: Type.String(),
  sha256: Type.String(),
  sha512: Type.String(),
})
export type PackageFile = Static<typeof PackageFile>
