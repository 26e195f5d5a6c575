import { Type } from 'typebox'
import { object } from '../../http/schema.ts'

export const RegistrationToken = object('RegistrationToken', { token: Type.String() })
