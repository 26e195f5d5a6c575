import { jsonType, textErrors, type ErrorForm } from '../http/error-forms.ts'
import type { Refusal } from '../lib/errors.ts'

const protocolCodes = new Set([
  'invalid_request',
  'invalid_client',
  'invalid_grant',
  'unauthorized_client',
  'unsupported_grant_type',
  'unsupported_token_type',
  // The device flow (RFC 8628, 3.5).
  'authorization_pending',
  'slow_down',
  'access_denied',
  'expired_token',
])

/** Returns the protocol's error code of a refusal (RFC 6749, 5.2). */
const errorOf = ({ code, status }: Refusal): string => {
  if (protocolCodes.has(code)) return code
  return status >= 500 || status === 429 ? 'temporarily_unavailable' : 'invalid_request'
}

/** Errors of the token endpoint. */
export const tokenErrors: ErrorForm = {
  render: (refusal) => ({
    contentType: jsonType,
    body: JSON.stringify({ error: errorOf(refusal), error_description: refusal.message }),
    headers: { 'cache-control': 'no-store', pragma: 'no-cache' },
  }),
}

/** Errors of endpoints that accept a token: text, with the challenge that clients expect (observed). */
export const bearerErrors: ErrorForm = {
  render(refusal, call) {
    const reply = textErrors.render(refusal, call)
    return refusal.status === 401 ? { ...reply, headers: { 'www-authenticate': 'Bearer realm=""' } } : reply
  },
}

/** Errors of endpoints that accept client credentials. */
export const basicErrors: ErrorForm = {
  render(refusal, call) {
    const reply = textErrors.render(refusal, call)
    return refusal.status === 401 ? { ...reply, headers: { 'www-authenticate': 'Basic realm=""' } } : reply
  },
}
