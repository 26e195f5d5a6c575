/** Signatures of requests as draft-cavage-http-signatures-12 has them, and servers send them. */

export interface CavageSignature {
  readonly keyId: string
  /** As sent, in lower case; empty when it was not. */
  readonly algorithm: string
  /** Names of the signed headers in their order, lower-case. */
  readonly headers: readonly string[]
  readonly signature: Buffer
  /** Seconds since 1970. */
  readonly created: number | undefined
  readonly expires: number | undefined
}

/** Longest header that is looked at, in characters: a signature of an RSA key of 8192 bits has 1,400. */
export const maxSignatureLength = 8192

/** Most headers that one signature covers. */
const maxHeaders = 30

/** The parts of a `Signature` header, or of `Authorization` after its scheme; undefined when it is none. */
export function parseCavage(header: string): CavageSignature | undefined {
  if (header.length > maxSignatureLength) return undefined
  const params = new Map<string, string>()
  const one = /\s*([A-Za-z]+)\s*=\s*(?:"([^"]*)"|([^",\s]+))\s*(,|$)/y
  let position = 0
  while (position < header.length) {
    one.lastIndex = position
    const found = one.exec(header)
    // A member that comes twice is read differently by different programs.
    if (!found || params.has(found[1] as string)) return undefined
    params.set(found[1] as string, found[2] ?? found[3] ?? '')
    position = one.lastIndex
  }
  const keyId = params.get('keyId')
  const signature = params.get('signature')
  if (!keyId || !signature || !/^[A-Za-z0-9+/]+={0,2}$/.test(signature)) return undefined
  const headers = (params.get('headers') ?? '(created)').toLowerCase().split(' ')
  if (headers.length > maxHeaders || new Set(headers).size !== headers.length || headers.includes('')) return undefined
  const created = seconds(params.get('created'))
  const expires = seconds(params.get('expires'))
  if (created === 'wrong' || expires === 'wrong') return undefined
  const algorithm = (params.get('algorithm') ?? '').toLowerCase()
  return { keyId, algorithm, headers, signature: Buffer.from(signature, 'base64'), created, expires }
}

function seconds(text: string | undefined): number | undefined | 'wrong' {
  if (text === undefined) return undefined
  return /^\d{1,12}(?:\.\d{1,9})?$/.test(text) ? Math.floor(Number(text)) : 'wrong'
}

/** What of a request is signed. */
export interface SignedRequest {
  readonly method: string
  /** Path and query as they were sent. */
  readonly target: string
  /** Scheme and host of the address. */
  readonly origin: string
  /** Host and port of the address. */
  readonly host: string
  /** A header by its lower-case name. */
  header(name: string): string | undefined
}

/** The text that is signed; undefined when a header is missing or cannot be signed. */
export function cavageText(
  request: SignedRequest,
  { headers, created, expires }: Pick<CavageSignature, 'headers' | 'created' | 'expires'>,
): string | undefined {
  const lines: string[] = []
  for (const name of headers) {
    const value = valueOf(request, name, { created, expires })
    if (value === undefined) return undefined
    lines.push(`${name}: ${value}`)
  }
  return lines.join('\n')
}

function valueOf(
  request: SignedRequest,
  name: string,
  { created, expires }: Pick<CavageSignature, 'created' | 'expires'>,
): string | undefined {
  switch (name) {
    case '(request-target)':
      return `${request.method.toLowerCase()} ${request.target}`
    case '(created)':
      return created?.toString()
    case '(expires)':
      return expires?.toString()
    case 'host':
      return request.host
    default:
      return request.header(name)
  }
}

/** The header of a signature of ours. */
export const cavageHeader = (keyId: string, headers: readonly string[], signature: Buffer): string =>
  `keyId="${keyId}",algorithm="hs2019",headers="${headers.join(' ')}",signature="${signature.toString('base64')}"`
