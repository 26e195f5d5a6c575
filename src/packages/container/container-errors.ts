import { jsonType, type ErrorForm } from '../../http/error-forms.ts'
import type { Refusal } from '../../lib/errors.ts'

/** A header of all replies of a container registry. */
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

/** Returns the specification's error code of a refusal; our codes are the same in lower case where one exists. */
const known =
  /^(?:blob_unknown|blob_upload_invalid|blob_upload_unknown|digest_invalid|manifest_blob_unknown|manifest_invalid|manifest_unknown|name_invalid|name_unknown|size_invalid|unsupported)$/

const codeOf = ({ code, status }: Refusal): string =>
  known.test(code) ? code.toUpperCase() : (byStatus[status] ?? 'UNKNOWN')

/** The error form of container registries (OCI distribution). */
export const containerErrors: ErrorForm = {
  render(refusal, call) {
    const realm = `Bearer realm="${call.site.url}v2/token",service="container_registry",scope="*"`
    const headers = { ...versionHeader, ...(refusal.status === 401 ? { 'www-authenticate': realm } : {}) }
    const errors = [{ code: codeOf(refusal), message: refusal.message, detail: refusal.data }]
    return { contentType: jsonType, body: JSON.stringify({ errors }), headers }
  },
}
