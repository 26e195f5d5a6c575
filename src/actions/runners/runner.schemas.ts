import { Type } from 'typebox'
import { dateTime, enumeration, nullable, object, closedObject } from '../../http/schema.ts'

export const RegistrationToken = object('RegistrationToken', { token: Type.String() })

/** Whether runners may register, and the creation time of the token; null before the first request for a token. */
export const RunnerRegistration = object('RunnerRegistration', {
  is_active: Type.Boolean(),
  created_at: nullable(dateTime()),
})

export const EditRunnerRegistrationOption = closedObject('EditRunnerRegistrationOption', { is_active: Type.Boolean() })

export const RegisteredRunner = object('RegisteredRunner', {
  id: Type.Integer(),
  uuid: Type.String(),
  name: Type.String(),
  version: Type.String(),
  labels: Type.Array(Type.String()),
  ephemeral: Type.Boolean(),
  status: enumeration('offline', 'idle', 'active'),
  created_at: dateTime(),
  last_online: dateTime(),
})
