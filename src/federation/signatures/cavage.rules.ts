/** HTTP signatures by draft-cavage-http-signatures-12. */

export interface CavageSignature {
  readonly keyId: string
  /** In lower case; empty when absent. */
  readonly algorithm: string
  /** Names of the signed headers in order, in lower case. */
  readonly headers: readonly string[]
  readonly signature: Buffer
  /** Seconds since 1970. */
  readonly created: number | undefined
  readonly expires: number | undefined
}

/** Longest accepted header, in characters: the signature of an RSA key of 8192 bits has 1,400. */
export const maxSignatureLength = 8192

/** Most headers of one signature. */
const maxHeaders = 30

/** Parses a `Signature` header, or `Authorization` after its scheme; undefined when it is malformed. */
export function parseCavage(header: string): CavageSignature | undefined {
  if (header.length > maxSignatureLength) return undefined
  const params = new Map<string, string>()
  const one = /\s*([A-Za-z]+)\s*=\s*(?:"([^"]*)"|([^",\s]+))\s*(,|$)/y
  let position = 0
  while (position < header.length) {
    one.lastIndex = position
    const found = one.exec(header)
    // Implementations disagree about a repeated parameter.
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
  if (created === 'invalid' || expires === 'invalid') return undefined
  const algorithm = (params.get('algorithm') ?? '').toLowerCase()
  return { keyId, algorithm, headers, signature: Buffer.from(signature, 'base64'), created, expires }
}

function seconds(text: string | undefined): number | undefined | 'invalid' {
  if (text === undefined) return undefined
  return /^\d{1,12}(?:\.\d{1,9})?$/.test(text) ? Math.floor(Number(text)) : 'invalid'
}

/** The parts of a request that a signature may cover. */
export interface SignedRequest {
  readonly method: string
  /** Path and query as sent. */
  readonly target: string
  /** Scheme and host of the address. */
  readonly origin: string
  /** Host and port of the address. */
  readonly host: string
  /** Returns a header by its lower-case name. */
  header(name: string): string | undefined
}

/** Returns the signed text; undefined when a header is missing. */
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

/** Returns the `Signature` header of an outgoing request. */
export const cavageHeader = (keyId: string, headers: readonly string[], signature: Buffer): string =>
  `keyId="${keyId}",algorithm="hs2019",headers="${headers.join(' ')}",signature="${signature.toString('base64')}"`
