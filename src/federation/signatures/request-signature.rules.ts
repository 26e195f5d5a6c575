import { BadRequest, Forbidden } from '../../lib/errors.ts'
import { cavageText, maxSignatureLength, parseCavage, type SignedRequest } from './cavage.rules.ts'
import { digestMatches } from './digest.rules.ts'
import { coversRequest, signatureBase } from './message-signature.rules.ts'
import { bytesOfMember, parseSignatureInput } from './structured.rules.ts'

/** A signature of a request in either form; everything but the signature itself is checked. */
export interface RequestSignature {
  readonly form: 'cavage' | 'rfc9421'
  readonly keyId: string
  /** In lower case; empty when absent. */
  readonly algorithm: string
  readonly signature: Buffer
  /** The signed text. */
  readonly text: string
  /** Time of the signature, in seconds since 1970. */
  readonly madeUnix: number
}

/** Largest difference between the time of a signature and now, in seconds (contract). */
export const maxSkewSeconds = 3600

/**
 * Reads the signature of a request. `BadRequest` when it is missing, unreadable or covers too little, `Forbidden` when it is too
 * old or of another body.
 * @param body undefined for a request without one
 */
export function readSignature(request: SignedRequest, body: Buffer | undefined, nowUnix: number): RequestSignature {
  const input = request.header('signature-input')
  const read = input === undefined ? readCavage(request, body) : readMessageSignature(request, body, input)
  const { created, expires, ...signature } = read
  if (created === undefined || Math.abs(nowUnix - created) > maxSkewSeconds) {
    throw new Forbidden('the signature is too old, or the clock of its server is wrong', 'signature_expired')
  }
  if (expires !== undefined && expires < nowUnix) throw new Forbidden('the signature has expired', 'signature_expired')
  return { ...signature, madeUnix: created }
}

type ParsedSignature = Omit<RequestSignature, 'madeUnix'> & {
  readonly created: number | undefined
  readonly expires: number | undefined
}

const unreadable = () => new BadRequest('the signature of the request cannot be read', 'signature_unreadable')
const incomplete = (what: string) => new BadRequest(`the signature does not cover ${what}`, 'signature_incomplete')

function readCavage(request: SignedRequest, body: Buffer | undefined): ParsedSignature {
  const authorization = /^Signature\s+(.+)$/is.exec(request.header('authorization') ?? '')?.[1]
  const header = request.header('signature') ?? authorization
  if (header === undefined) throw new BadRequest('the request is not signed', 'signature_missing')
  const parsed = parseCavage(header)
  if (!parsed) throw unreadable()
  const { headers } = parsed
  const missing = ['(request-target)', 'host'].find((name) => !headers.includes(name))
  if (missing !== undefined) throw incomplete(missing)
  const isDated = headers.includes('date') || headers.includes('(created)')
  if (!isDated) throw incomplete('date')
  const text = cavageText(request, parsed)
  if (text === undefined) throw new BadRequest('a signed header is missing', 'signature_unreadable')
  if (body) checkDigest(request, body, headers, 'digest')
  const dateMs = headers.includes('date') ? Date.parse(request.header('date') ?? '') : Number.NaN
  const created = headers.includes('(created)') ? parsed.created : undefined
  return {
    form: 'cavage',
    keyId: parsed.keyId,
    algorithm: parsed.algorithm,
    signature: parsed.signature,
    text,
    created: Number.isNaN(dateMs) ? created : Math.floor(dateMs / 1000),
    expires: parsed.expires,
  }
}

function readMessageSignature(request: SignedRequest, body: Buffer | undefined, input: string): ParsedSignature {
  const header = request.header('signature') ?? ''
  if (input.length > maxSignatureLength || header.length > maxSignatureLength) throw unreadable()
  const parsed = parseSignatureInput(input)
  const signature = parsed && bytesOfMember(header, parsed.label)
  const [keyId, algorithm = '', created, expires] = ['keyid', 'alg', 'created', 'expires'].map((name) =>
    parsed?.params.get(name),
  )
  if (!parsed || !signature || typeof keyId !== 'string' || typeof algorithm !== 'string') throw unreadable()
  if (!coversRequest(parsed.components, body !== undefined)) throw incomplete('method, address and body')
  const text = signatureBase(request, parsed.components, parsed.text)
  if (text === undefined) throw new BadRequest('a signed part of the request is missing', 'signature_unreadable')
  if (body) checkDigest(request, body, parsed.components, 'content-digest')
  return {
    form: 'rfc9421',
    keyId,
    algorithm: algorithm.toLowerCase(),
    signature,
    text,
    created: typeof created === 'number' ? created : undefined,
    expires: typeof expires === 'number' ? expires : undefined,
  }
}

function checkDigest(
  request: SignedRequest,
  body: Buffer,
  signed: readonly string[],
  form: 'digest' | 'content-digest',
): void {
  if (!signed.includes(form)) throw incomplete(form)
  if (!digestMatches(request.header(form) ?? '', body, form)) {
    throw new Forbidden('the digest does not match the body', 'digest_wrong')
  }
}
