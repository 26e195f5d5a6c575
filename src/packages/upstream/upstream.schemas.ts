import { Type } from 'typebox'
import { object, closedObject } from '../../http/schema.ts'

export const PackageUpstream = object('PackageUpstream', {
  type: Type.String(),
  url: Type.String(),
  username: Type.String(),
  has_secret: Type.Boolean(),
  reserved: Type.Array(Type.String()),
})

export const SetPackageUpstreamOption = closedObject('SetPackageUpstreamOption', {
  url: Type.String(),
  username: Type.Optional(Type.String({ maxLength: 200 })),
  secret: Type.Optional(Type.String({ maxLength: 4096 })),
  reserved: Type.Optional(Type.Array(Type.String())),
})
