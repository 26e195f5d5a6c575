import { jsonType, textErrors, type ErrorForm, type ErrorReply, type RefusedCall } from '../http/error-forms.ts'
import type { Refusal } from '../lib/errors.ts'

/** Media type of the LFS API. */
export const lfsType = 'application/vnd.git-lfs+json'

/** Returns the headers that ask for credentials; LFS clients also read the second one. */
function challenge(refusal: Refusal, { site }: RefusedCall): Pick<ErrorReply, 'headers'> {
  if (refusal.status !== 401) return {}
  const value = `Basic realm="${site.name.replaceAll(/[^\w .-]/g, '')}"`
  return { headers: { 'www-authenticate': `${value}, charset="UTF-8"`, 'lfs-authenticate': value } }
}

const isAboutScopes = (refusal: Refusal): boolean => refusal.code === 'scope_missing'

/**
 * Refusals of the LFS API. `Message` is the family's member, `message` that of the specification. A missing scope is
 * reported as git does (observed).
 */
export const lfsErrors: ErrorForm = {
  render(refusal, call) {
    if (isAboutScopes(refusal)) return textErrors.render(refusal, call)
    const { message } = refusal
    const body = JSON.stringify({ Message: message, message, request_id: call.id })
    return { contentType: lfsType, body, ...challenge(refusal, call) }
  },
}

/** Refusals of the lock API: plain JSON, unless the client does not accept it (observed). */
export const lockErrors: ErrorForm = {
  render(refusal, call) {
    if (refusal.status === 415 || isAboutScopes(refusal)) return lfsErrors.render(refusal, call)
    const body = JSON.stringify({ message: refusal.message, request_id: call.id })
    return { contentType: jsonType, body, ...challenge(refusal, call) }
  },
}
