/** Reads the part of structured fields (RFC 8941) that RFC 9421 and RFC 9530 use; undefined for anything else. */

/** One signature of `Signature-Input`. */
export interface SignatureInput {
  readonly label: string
  /** The covered components in order, without parameters. */
  readonly components: readonly string[]
  /** The text as sent, because the signature covers it. */
  readonly text: string
  readonly params: ReadonlyMap<string, string | number>
}

const labelled = /\s*([a-z*][a-z0-9_\-.*]*)=/y
const component = /"([!-~ ]*?)"/y
const parameter = /;\s*([a-z*][a-z0-9_\-.*]*)(?:=(?:"((?:[ !#-[\]-~]|\\["\\])*)"|(-?\d{1,15})))?/y

/** Most components of a signature. */
const maxComponents = 30

/** Parses the first signature of a `Signature-Input` header. */
export function parseSignatureInput(header: string): SignatureInput | undefined {
  const [label, start] = matchAt(labelled, header, 0) ?? []
  if (label === undefined || start === undefined || header[start] !== '(') return undefined
  const components: string[] = []
  let position = start + 1
  for (;;) {
    while (header[position] === ' ') position++
    if (header[position] === ')') break
    const [name, end] = matchAt(component, header, position) ?? []
    // Components with parameters are not supported.
    if (name === undefined || end === undefined || !/[ )]/.test(header[end] ?? '')) return undefined
    if (components.includes(name) || components.length >= maxComponents) return undefined
    components.push(name)
    position = end
  }
  position++
  const params = new Map<string, string | number>()
  while (header[position] === ';') {
    parameter.lastIndex = position
    const found = parameter.exec(header)
    if (!found) return undefined
    const [whole, name = '', text, number] = found
    if (params.has(name)) return undefined
    params.set(name, number === undefined ? (text ?? '').replaceAll(/\\(["\\])/g, '$1') : Number(number))
    position += whole.length
  }
  const rest = header.slice(position).trim()
  if (rest !== '' && !rest.startsWith(',')) return undefined
  return { label, components, text: header.slice(start, position), params }
}

function matchAt(pattern: RegExp, text: string, at: number): readonly [string, number] | undefined {
  pattern.lastIndex = at
  const found = pattern.exec(text)
  return found ? [found[1] ?? '', pattern.lastIndex] : undefined
}

/** Returns the bytes of a member of a dictionary of byte sequences: `label=:base64:`. */
export function bytesOfMember(header: string, label: string): Buffer | undefined {
  for (const member of header.split(',')) {
    const found = /^\s*([^=\s]+)=:([A-Za-z0-9+/]*={0,2}):\s*$/.exec(member)
    if (found?.[1] === label) return Buffer.from(found[2] ?? '', 'base64')
  }
  return undefined
}
