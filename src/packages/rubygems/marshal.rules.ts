/** A value for Marshal. Objects are written as another value (`marshal_dump`) or as text (`_dump`). */
export type Marshalled =
  | null
  | boolean
  | number
  | string
  | readonly Marshalled[]
  | { readonly class: string; readonly value: Marshalled; readonly as: 'value' | 'text' }

/** Source: the Marshal format, version 4.8. npm has readers of the format, but no maintained writer. */
const version = Buffer.from([4, 8])

/** Encodes a number of at most 30 bits. */
function int(value: number): Buffer {
  if (value === 0) return Buffer.from([0])
  if (value > 0 && value < 123) return Buffer.from([value + 5])
  const bytes: number[] = []
  for (let rest = value; rest > 0; rest = Math.floor(rest / 256)) bytes.push(rest % 256)
  return Buffer.from([bytes.length, ...bytes])
}

const text = (value: string | Buffer): Buffer => {
  const bytes = Buffer.from(value)
  return Buffer.concat([int(bytes.length), bytes])
}

const symbol = (name: string): Buffer => Buffer.concat([Buffer.from(':'), text(name)])
/** An instance variable behind the text marks it as UTF-8. */
const utf8 = Buffer.concat([int(1), symbol('E'), Buffer.from('T')])

function write(value: Marshalled): Buffer {
  if (value === null) return Buffer.from('0')
  if (typeof value === 'boolean') return Buffer.from(value ? 'T' : 'F')
  if (typeof value === 'number') return Buffer.concat([Buffer.from('i'), int(value)])
  if (typeof value === 'string') return Buffer.concat([Buffer.from('I"'), text(value), utf8])
  if (isList(value)) return Buffer.concat([Buffer.from('['), int(value.length), ...value.map(write)])
  const name = symbol(value.class)
  return value.as === 'value'
    ? Buffer.concat([Buffer.from('U'), name, write(value.value)])
    : Buffer.concat([Buffer.from('u'), name, text(marshal(value.value))])
}

const isList = (value: Exclude<Marshalled, null>): value is readonly Marshalled[] => Array.isArray(value)

/** Encodes a value without negative numbers. */
export function marshal(value: Marshalled): Buffer {
  return Buffer.concat([version, write(value)])
}
