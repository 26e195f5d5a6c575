import type { ErrorForm } from '../../http/error-forms.ts'

/** The names of refusals in the Connect protocol, by their status. */
const codes: Readonly<Record<number, string>> = {
  400: 'invalid_argument',
  401: 'unauthenticated',
  403: 'permission_denied',
  404: 'not_found',
  409: 'already_exists',
  413: 'resource_exhausted',
  422: 'invalid_argument',
  429: 'resource_exhausted',
  500: 'internal',
  503: 'unavailable',
}

/** The code of a refusal, by its status. */
export const codeOf = (status: number): string => codes[status] ?? 'unknown'

/** Refusals as JSON, whatever a message was sent as. */
export const connectErrors: ErrorForm = {
  render({ status, message }) {
    return { contentType: 'application/json', body: JSON.stringify({ code: codeOf(status), message }) }
  },
}
