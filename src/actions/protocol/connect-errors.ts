import type { ErrorForm } from '../../http/error-forms.ts'

/** The error codes of the Connect protocol by HTTP status. */
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

export const codeOf = (status: number): string => codes[status] ?? 'unknown'

/** Errors are JSON, also for requests in protobuf. */
export const connectErrors: ErrorForm = {
  render({ status, message }) {
    return { contentType: 'application/json', body: JSON.stringify({ code: codeOf(status), message }) }
  },
}
