import { Type, type Static } from 'typebox'
import { dateTime, nullable, object, closedObject } from '../../http/schema.ts'

export const OAuth2Application = object('OAuth2Application', {
  id: Type.Integer(),
  name: Type.String(),
  client_id: Type.String(),
  client_secret: Type.String(),
  confidential_client: Type.Boolean(),
  redirect_uris: nullable(Type.Array(Type.String())),
  created: dateTime(),
})
export type OAuth2Application = Static<typeof OAuth2Application>

export const CreateOAuth2ApplicationOptions = closedObject(
  'CreateOAuth2ApplicationOptions',
  {
    name: Type.String({ minLength: 1, maxLength: 255 }),
    confidential_client: Type.Optional(Type.Boolean()),
    redirect_uris: Type.Array(Type.String(), { maxItems: 50 }),
  },
  {
    ignored: ['id', 'client_id', 'created'],
    ignoredWhenEmpty: ['client_secret', 'skip_secondary_authorization'],
  },
)
