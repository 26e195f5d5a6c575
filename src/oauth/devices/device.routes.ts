import { Type } from 'typebox'
import { anyone } from '../../access/requirements.ts'
import { operation, validBody } from '../../http/operation.ts'
import { ok } from '../../http/reply.ts'
import { object, requestObject } from '../../http/schema.ts'
import { issuerOf } from '../openid/claims.present.ts'
import { startDeviceAuthorization } from './device.service.ts'
import { tokenErrors } from '../oauth-errors.ts'
import { clientOf, oauthOn, protocolBody } from '../oauth.requirements.ts'
import { noStore, ofClients } from '../client-operation.ts'

const text = Type.Optional(Type.String({ maxLength: 4096 }))

const DeviceRequest = requestObject('OAuth2DeviceRequest', { client_id: text, client_secret: text, scope: text })

const DeviceReply = object('OAuth2Device', {
  device_code: Type.String(),
  user_code: Type.String(),
  verification_uri: Type.String(),
  verification_uri_complete: Type.String(),
  expires_in: Type.Integer(),
  interval: Type.Integer(),
})

export const oauthDeviceAuthorization = operation({
  ...ofClients,
  method: 'POST',
  path: '/login/oauth/device_authorization',
  cost: 'usual',
  errors: tokenErrors,
  requires: [anyone, oauthOn, protocolBody, validBody],
  body: DeviceRequest,
  reply: { 200: DeviceReply },
  summary: 'Codes for a device without a browser (RFC 8628)',
  async run({ ctx, body, call }) {
    const device = await startDeviceAuthorization(ctx, clientOf(ctx, body), { scope: body.scope ?? '', ip: call.ip })
    const page = `${issuerOf(ctx)}/login/device`
    return ok(
      {
        device_code: device.deviceCode,
        user_code: device.userCode,
        verification_uri: page,
        verification_uri_complete: `${page}?user_code=${device.userCode}`,
        expires_in: device.lifetimeSeconds,
        interval: device.intervalSeconds,
      },
      noStore,
    )
  },
})
