import { jsonType, type ErrorForm } from '../../http/error-forms.ts'
import type { Refusal } from '../../lib/errors.ts'

/** Header of every answer of a registry of containers. */
export const versionHeader = { 'docker-distribution-api-version': 'registry/2.0' } as const

const byStatus: Readonly<Record<number, string>> = {
  400: 'UNSUPPORTED',
  401: 'UNAUTHORIZED',
  403: 'DENIED',
  404: 'NAME_UNKNOWN',
  413: 'MANIFEST_INVALID',
  416: 'BLOB_UPLOAD_INVALID',
  429: 'TOOMANYREQUESTS',
}

/** The code that the specification gives a refusal; ours are the same in small letters where it has one for it. */
const known =
  /^(?:blob_unknown|blob_upload_invalid|blob_upload_unknown|digest_invalid|manifest_blob_unknown|manifest_invalid|manifest_unknown|name_invalid|name_unknown|size_invalid|unsupported)$/

const codeOf = ({ code, status }: Refusal): string =>
  known.test(code) ? code.toUpperCase() : (byStatus[status] ?? 'UNKNOWN')

/** Refusals of the registry of containers (OCI distribution). */
export const containerErrors: ErrorForm = {
  render(refusal, call) {
    const realm = `Bearer realm="${call.site.url}v2/token",service="container_registry",scope="*"`
    const headers = { ...versionHeader, ...(refusal.status === 401 ? { 'www-authenticate': realm } : {}) }
    const errors = [{ code: codeOf(refusal), message: refusal.message, detail: refusal.data }]
    return { contentType: jsonType, body: JSON.stringify({ errors }), headers }
  },
}
