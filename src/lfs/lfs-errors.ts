import { jsonType, textErrors, type ErrorForm, type ErrorReply, type RefusedCall } from '../http/error-forms.ts'
import type { Refusal } from '../lib/errors.ts'

/** The media type of the LFS API. */
export const lfsType = 'application/vnd.git-lfs+json'

/** Asks for a name and a password where they are missing; clients of LFS look for the second header as well. */
function challenge(refusal: Refusal, { site }: RefusedCall): Pick<ErrorReply, 'headers'> {
  if (refusal.status !== 401) return {}
  const value = `Basic realm="${site.name.replaceAll(/[^\w .-]/g, '')}"`
  return { headers: { 'www-authenticate': `${value}, charset="UTF-8"`, 'lfs-authenticate': value } }
}

const isAboutScopes = (refusal: Refusal): boolean => refusal.code === 'scope_missing'

/**
 * Refusals of the LFS API. The name of the text is what the family writes; who reads the specification by its letter
 * finds it in lower case too. A token's missing scope is told as git tells it (observed).
 */
export const lfsErrors: ErrorForm = {
  render(refusal, call) {
    if (isAboutScopes(refusal)) return textErrors.render(refusal, call)
    const { message } = refusal
    const body = JSON.stringify({ Message: message, message, request_id: call.id })
    return { contentType: lfsType, body, ...challenge(refusal, call) }
  },
}

/** Refusals of the API of locks, which is plain JSON but where the client does not take it (observed). */
export const lockErrors: ErrorForm = {
  render(refusal, call) {
    if (refusal.status === 415 || isAboutScopes(refusal)) return lfsErrors.render(refusal, call)
    const body = JSON.stringify({ message: refusal.message, request_id: call.id })
    return { contentType: jsonType, body, ...challenge(refusal, call) }
  },
}
