import type { SignedRequest } from './cavage.rules.ts'

/**
 * Returns the signature base (RFC 9421, 2.5); undefined when a component is missing or unknown.
 * @param params the parameters of the signature as in `Signature-Input`
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

/** Returns whether the components cover method, address and body. */
export function coversRequest(components: readonly string[], hasBody: boolean): boolean {
  const has = (name: string): boolean => components.includes(name)
  const isAddressed =
    has('@target-uri') || ((has('@authority') || has('host')) && (has('@request-target') || has('@path')))
  return has('@method') && isAddressed && (!hasBody || has('content-digest'))
}

/** The label of outgoing signatures. */
export const ownLabel = 'sig1'

/** Returns the parameters of an outgoing signature for `Signature-Input`. */
export const signatureParams = (components: readonly string[], keyId: string, createdUnix: number): string =>
  `(${components.map((name) => `"${name}"`).join(' ')});created=${createdUnix};keyid="${keyId}";alg="rsa-v1_5-sha256"`
