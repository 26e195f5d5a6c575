import { Type, type Static } from 'typebox'
import { object } from '../http/schema.ts'

export const ServerVersion = object('ServerVersion', {
  version: Type.String(),
})
export type ServerVersion = Static<typeof ServerVersion>

/** The reply with name and version of this program, which the family's reply lacks. */
export const ServiceVersion = object('ServiceVersion', {
  version: Type.String(),
  software: object('ServiceSoftware', { name: Type.String(), version: Type.String() }),
})
export type ServiceVersion = Static<typeof ServiceVersion>

export const NodeInfoSoftware = object('NodeInfoSoftware', {
  name: Type.String(),
  version: Type.String(),
  repository: Type.String(),
  homepage: Type.String(),
})
export type NodeInfoSoftware = Static<typeof NodeInfoSoftware>

export const NodeInfoServices = object('NodeInfoServices', {
  inbound: Type.Array(Type.String()),
  outbound: Type.Array(Type.String()),
})
export type NodeInfoServices = Static<typeof NodeInfoServices>

export const NodeInfoUsageUsers = object('NodeInfoUsageUsers', {
  total: Type.Optional(Type.Integer()),
  activeHalfyear: Type.Optional(Type.Integer()),
  activeMonth: Type.Optional(Type.Integer()),
})
export type NodeInfoUsageUsers = Static<typeof NodeInfoUsageUsers>

export const NodeInfoUsage = object('NodeInfoUsage', {
  users: NodeInfoUsageUsers,
  localPosts: Type.Optional(Type.Integer()),
  localComments: Type.Optional(Type.Integer()),
})
export type NodeInfoUsage = Static<typeof NodeInfoUsage>

export const NodeInfo = object('NodeInfo', {
  version: Type.String(),
  software: NodeInfoSoftware,
  protocols: Type.Array(Type.String()),
  services: NodeInfoServices,
  openRegistrations: Type.Boolean(),
  usage: NodeInfoUsage,
  metadata: Type.Record(Type.String(), Type.Unknown()),
})
export type NodeInfo = Static<typeof NodeInfo>

/** Reply of `/.well-known/nodeinfo`. */
export const NodeInfoLinks = object('NodeInfoLinks', {
  links: Type.Array(Type.Object({ href: Type.String(), rel: Type.String() })),
})
export type NodeInfoLinks = Static<typeof NodeInfoLinks>
