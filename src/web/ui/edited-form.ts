import { hash } from 'node:crypto'

/**
 * Name of the hidden field of a form that edits what exists: a digest of each field as the form showed it. The act of the form refuses
 * to overwrite a field that somebody else changed meanwhile.
 */
export const versionName = '_version'

/** A field of a form as it is stored: its values (a box that is not ticked has none), and their text for readers. */
export interface StoredField {
  readonly values: readonly string[]
  readonly shown: string
}

/** The stored fields of a form, by name. Filled while the form is rendered. */
export type StoredFields = Map<string, StoredField>

/** Adds a field to a form; boxes of one name are one field. */
export function addStored(fields: StoredFields, name: string, values: readonly string[], shown: string): void {
  const known = fields.get(name)
  fields.set(name, {
    values: [...(known?.values ?? []), ...values],
    shown: [known?.shown ?? '', shown].filter((text) => text !== '').join(', '),
  })
}

/** Returns values as browsers send them: without empty ones, and with plain line ends. */
const usual = (values: readonly string[]): readonly string[] =>
  values
    .map((value) => value.replace(/\r\n?/g, '\n'))
    .filter((value) => value !== '')
    .sort()

const digestOf = (values: readonly string[]): string =>
  hash('sha256', JSON.stringify(usual(values)), 'base64url').slice(0, 12)

/** Writes the value of the hidden field. */
export const writeVersion = (fields: StoredFields): string =>
  new URLSearchParams([...fields].map(([name, { values }]) => [name, digestOf(values)])).toString()

const listOf = (sent: unknown): readonly string[] =>
  sent === undefined || sent === false ? [] : (Array.isArray(sent) ? sent : [sent]).map(String)

/** An edit that would overwrite another one. */
export interface CrossedEdit {
  /** The form to show: what was sent, and what is stored now in the fields that the sender left as they were. */
  readonly values: Readonly<Record<string, unknown>>
  /** What is stored now in the fields that both changed, for readers, by name. */
  readonly others: ReadonlyMap<string, string>
}

/**
 * Compares a sent form with what is stored; undefined when it overwrites nothing that somebody else wrote meanwhile.
 * @param names the fields of the act
 */
export function crossedEdit(
  sent: Readonly<Record<string, unknown>>,
  stored: StoredFields,
  names: readonly string[],
): CrossedEdit | undefined {
  const seen = new URLSearchParams(String(sent[versionName]))
  const values: Record<string, unknown> = { ...sent }
  const others = new Map<string, string>()
  let isCrossed = false
  for (const name of names) {
    const now = stored.get(name)
    const before = seen.get(name)
    const mine = digestOf(listOf(sent[name]))
    if (now === undefined || before === null) continue
    const digest = digestOf(now.values)
    if (digest === before || digest === mine) continue
    isCrossed = true
    if (mine === before) values[name] = now.values.length === 1 ? now.values[0] : now.values
    else others.set(name, now.shown)
  }
  return isCrossed ? { values, others } : undefined
}
