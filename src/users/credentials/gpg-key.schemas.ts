import { Type, type Static } from 'typebox'
import { dateTime, nullable, object, reference, closedObject } from '../../http/schema.ts'

const GPGKeyEmail = object('GPGKeyEmail', { email: Type.String(), verified: Type.Boolean() })

export const GPGKey = object('GPGKey', {
  id: Type.Integer(),
  primary_key_id: Type.String(),
  key_id: Type.String(),
  public_key: Type.String(),
  emails: nullable(Type.Array(GPGKeyEmail)),
  subkeys: nullable(Type.Array(reference('GPGKey'))),
  can_sign: Type.Boolean(),
  can_encrypt_comms: Type.Boolean(),
  can_encrypt_storage: Type.Boolean(),
  can_certify: Type.Boolean(),
  verified: Type.Boolean(),
  created_at: dateTime(),
  expires_at: dateTime(),
})
export type GPGKey = Static<typeof GPGKey>

/** Longest text of a key or signature, in characters. */
const armored = Type.String({ minLength: 1, maxLength: 262_144 })

export const CreateGPGKeyOption = closedObject('CreateGPGKeyOption', {
  armored_public_key: armored,
  armored_signature: Type.Optional(Type.String({ maxLength: 16_384 })),
})

export const VerifyGPGKeyOption = closedObject('VerifyGPGKeyOption', {
  key_id: Type.String({ minLength: 1, maxLength: 64 }),
  armored_signature: Type.String({ minLength: 1, maxLength: 16_384 }),
})
