import { Type, type Static } from 'typebox'
import { dateTime, nullable, object } from '../../http/schema.ts'

/** An entry of the audit log. Not part of the contract. */
export const AuditEntry = object('AuditEntry', {
  id: Type.Integer(),
  at: dateTime(),
  action: Type.String(),
  outcome: Type.String(),
  actor: nullable(object('AuditActor', { id: Type.Integer(), login: Type.String() })),
  /** The account that an administrator impersonated. */
  acted_as_id: nullable(Type.Integer()),
  credential: Type.String(),
  address: Type.String(),
  operation: Type.String(),
  request_id: Type.String(),
  object: object('AuditObject', { kind: Type.String(), id: nullable(Type.Integer()), name: Type.String() }),
  details: Type.Unknown(),
})
export type AuditEntry = Static<typeof AuditEntry>
