import type { SignedRequest } from './cavage.rules.ts'

/** Signatures of HTTP messages as RFC 9421 has them. */

/**
 * The signature base (2.5); undefined when a component is missing or not known.
 * @param params the parameters of the signature as they stand in `Signature-Input`
 */
export function signatureBase(
  request: SignedRequest,
  components: readonly string[],
  params: string,
): string | undefined {
  const lines: string[] = []
  for (const name of components) {
    const value = componentOf(request, name)
    if (value === undefined) return undefined
    lines.push(`"${name}": ${value}`)
  }
  lines.push(`"@signature-params": ${params}`)
  return lines.join('\n')
}

function componentOf(request: SignedRequest, name: string): string | undefined {
  const { method, target, origin, host } = request
  const mark = target.indexOf('?')
  switch (name) {
    case '@method':
      return method.toUpperCase()
    case '@target-uri':
      return `${origin}${target}`
    case '@authority':
      return host
    case '@scheme':
      return origin.slice(0, origin.indexOf(':'))
    case '@request-target':
      return target
    case '@path':
      return mark < 0 ? target : target.slice(0, mark)
    case '@query':
      return mark < 0 ? '?' : target.slice(mark)
    case 'host':
      return host
    default:
      return name.startsWith('@') || name !== name.toLowerCase() ? undefined : request.header(name)?.trim()
  }
}

/** Whether the components say to whom the request went, as what, and with which body. */
export function coversRequest(components: readonly string[], hasBody: boolean): boolean {
  const has = (name: string): boolean => components.includes(name)
  const isAddressed =
    has('@target-uri') || ((has('@authority') || has('host')) && (has('@request-target') || has('@path')))
  return has('@method') && isAddressed && (!hasBody || has('content-digest'))
}

/** The label of our signatures. */
export const ownLabel = 'sig1'

/** The parameters of a signature of ours, as they stand in `Signature-Input`. */
export const signatureParams = (components: readonly string[], keyId: string, createdUnix: number): string =>
  `(${components.map((name) => `"${name}"`).join(' ')});created=${createdUnix};keyid="${keyId}";alg="rsa-v1_5-sha256"`
