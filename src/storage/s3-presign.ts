import { createHash, createHmac } from 'node:crypto'

export interface PresignInput {
  readonly method: 'GET' | 'PUT'
  /** URL of the object, its path already escaped as the protocol wants it. */
  readonly url: URL
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly expiresSeconds: number
  readonly nowMs: number
  /** Additional query values, such as `response-content-type`. */
  readonly query?: Readonly<Record<string, string>>
  /** Signed headers, lower-case, which the request must repeat exactly. */
  readonly headers?: Readonly<Record<string, string>>
}

/** Maximum lifetime of a signed URL in the protocol, in seconds. */
const longestLifeSeconds = 604_800

/** Escapes everything but letters, digits and `-_.~`, as the protocol requires. */
export const escapeS3 = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)

/** Returns a presigned URL: AWS Signature Version 4 in the query, as AWS documents it. */
export function presign(input: PresignInput): string {
  const time = new Date(input.nowMs).toISOString().replace(/[-:]|\.\d{3}/g, '')
  const day = time.slice(0, 8)
  const scope = `${day}/${input.region}/s3/aws4_request`
  const headers = Object.entries({ ...input.headers, host: input.url.host }).sort(byName)
  const signedHeaders = headers.map(([name]) => name).join(';')
  const query = Object.entries({
    ...input.query,
    'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
    'X-Amz-Credential': `${input.accessKeyId}/${scope}`,
    'X-Amz-Date': time,
    'X-Amz-Expires': String(Math.min(Math.max(1, Math.floor(input.expiresSeconds)), longestLifeSeconds)),
    'X-Amz-SignedHeaders': signedHeaders,
  })
    .map(([name, value]): [string, string] => [escapeS3(name), escapeS3(value)])
    .sort(byName)
    .map(([name, value]) => `${name}=${value}`)
    .join('&')
  const { pathname, origin } = input.url
  const headerLines = headers.map(([name, value]) => `${name}:${value}\n`).join('')
  const request = [input.method, pathname, query, headerLines, signedHeaders, 'UNSIGNED-PAYLOAD'].join('\n')
  const digest = createHash('sha256').update(request).digest('hex')
  const toSign = ['AWS4-HMAC-SHA256', time, scope, digest].join('\n')
  const key = [day, input.region, 's3', 'aws4_request'].reduce<string | Buffer>(hmac, `AWS4${input.secretAccessKey}`)
  return `${origin}${pathname}?${query}&X-Amz-Signature=${hmac(key, toSign).toString('hex')}`
}

const byName = ([left]: [string, string], [right]: [string, string]): number => (left < right ? -1 : 1)

const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest()
