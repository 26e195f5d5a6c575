import type { ErrorReply, RefusedCall } from '../../http/error-forms.ts'
import { jsonType, textErrors, type ErrorForm } from '../../http/error-forms.ts'
import type { Refusal } from '../../lib/errors.ts'

/** Adds the challenge for a name and password to a 401 reply. */
export function challenge(refusal: Refusal, { site }: RefusedCall): Pick<ErrorReply, 'headers'> {
  if (refusal.status !== 401) return {}
  return { headers: { 'www-authenticate': `Basic realm="${site.name.replaceAll(/[^\w .-]/g, '')}", charset="UTF-8"` } }
}

/** Error form of registries whose clients show text. */
export const registryErrors: ErrorForm = {
  render: (refusal, call) => ({ ...textErrors.render(refusal, call), ...challenge(refusal, call) }),
}

/** Error form of registries whose clients read JSON. A 401 reply is text nevertheless (observed). */
export const jsonErrors = (
  body: (refusal: Refusal, call: RefusedCall) => object,
  contentType: string = jsonType,
): ErrorForm => ({
  render: (refusal, call) =>
    refusal.status === 401
      ? registryErrors.render(refusal, call)
      : { contentType, body: JSON.stringify(body(refusal, call)) },
})
