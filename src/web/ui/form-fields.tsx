import { h, type FunctionComponent, type VNode } from 'preact'
import type { Static } from 'typebox'
import type { Schema } from '../../http/schema.ts'
import { Checkbox, type Choice, Field, type FieldProps, Radios, Select, TextArea } from './field.tsx'
import { integer, text, textUpTo, tick } from './fields.ts'

/** A field of a form: what is sent, what the service gets, and how it is shown. */
interface FormField<Sent extends Schema, Stored, Value, As extends string> {
  readonly sent: Sent
  read(sent: Static<Sent>): Value
  show(name: string, stored: Stored | undefined): VNode
  /** What the service calls the value; the default is the name of the field. */
  readonly as?: As | undefined
  /** Beginnings of the codes of refusals that are about the field. */
  readonly refusals?: readonly string[] | undefined
}

interface FieldOptions<As extends string> {
  readonly as?: As
  readonly refusals?: readonly string[]
  /** Largest number of characters. */
  readonly limit?: number
}

/**
 * Declares a kind of field. `shown` returns the properties of its control, in the language of the reader; a value among them
 * is that of a new form.
 */
const kindOf =
  <Props, Sent extends Schema, Stored, Value>(
    control: (props: Props) => unknown,
    sent: (limit: number | undefined) => Sent,
    read: (sent: Static<Sent>) => Value,
    valueOf: (stored: Stored) => Partial<Props>,
  ) =>
  <const As extends string = never>(
    shown: () => Omit<Props, 'name' | 'maxlength'>,
    { limit, as, refusals }: FieldOptions<As> = {},
  ): FormField<Sent, Stored, Value, NoInfer<As>> => ({
    sent: sent(limit),
    read,
    show: (name, stored) =>
      h(control as FunctionComponent<object>, {
        name,
        ...(limit === undefined ? {} : { maxlength: limit }),
        ...shown(),
        ...(stored === undefined ? {} : valueOf(stored)),
      }),
    as,
    refusals,
  })

const ofText = (limit: number | undefined) => (limit === undefined ? text : textUpTo(limit))
const trimmed = (sent: string | undefined) => sent?.trim()
const asValue = (value: string) => ({ value })

const partsBy =
  (separator: RegExp) =>
  (sent: string | undefined): readonly string[] =>
    (sent ?? '')
      .split(separator)
      .map((part) => part.trim())
      .filter((part) => part !== '')

const joinedBy = (separator: string) => (stored: readonly string[] | null) => ({ value: stored?.join(separator) })

/** A text of one line. Blanks around it do not count. */
export const line = kindOf(Field, ofText, trimmed, asValue)

/** A text of several lines. Blanks around it do not count. */
export const area = kindOf(TextArea, ofText, trimmed, asValue)

/** A list of names in one line, with commas or blanks between them. */
export const names = kindOf(Field, ofText, partsBy(/[\s,]+/), joinedBy(', '))

/** A list of texts, each in a line of its own. */
export const lines = kindOf(TextArea, ofText, partsBy(/\r?\n/), joinedBy('\n'))

/** A choice from a list. */
export const select = kindOf(Select, ofText, trimmed, asValue)

/** A choice of one value; each has a line of explanation. */
export const radios = kindOf(Radios, ofText, trimmed, asValue)

/** A whole number. */
export const number = kindOf(
  (props: FieldProps) => <Field type="number" {...props} />,
  () => integer,
  (sent: number | undefined) => sent,
  (value: number) => ({ value }),
)

/** A box to tick. */
export const box = kindOf(
  Checkbox,
  () => tick,
  (sent: boolean | undefined) => sent === true,
  (checked: boolean) => ({ checked }),
)

/** Returns a field whose value is read further, such as a word to one of several. */
export const readBy = <Sent extends Schema, Stored, Value, Next, As extends string>(
  next: (value: Value) => Next,
  field: FormField<Sent, Stored, Value, As>,
): FormField<Sent, Stored, Next, As> => ({ ...field, read: (sent) => next(field.read(sent)) })

/** Returns the one of these values that was sent. */
export const oneOf =
  <const Value extends string>(values: readonly Value[]) =>
  (sent: string | undefined): Value | undefined =>
    values.find((value) => value === sent)

/** Returns the choices with these labels. */
export const choicesOf = (labels: Readonly<Record<string, string>>): readonly Choice[] =>
  Object.entries(labels).map(([value, label]) => ({ value, label }))

/** Returns a box for each label. */
export const boxes = <Name extends string>(labels: Readonly<Record<Name, string>>) =>
  Object.fromEntries(
    (Object.keys(labels) as Name[]).map((name) => [name, box(() => ({ label: labels[name] }))]),
  ) as unknown as Readonly<Record<Name, ReturnType<typeof box<never>>>>

type AnyFields = Readonly<Record<string, FormField<Schema, unknown, unknown, string>>>

type ServiceName<Fields extends AnyFields, Name extends keyof Fields> =
  NonNullable<Fields[Name]['as']> extends infer As extends string ? ([As] extends [never] ? Name : As) : Name

/** What follows from the fields of a form. */
interface DeclaredForm<Fields extends AnyFields> {
  /** For the declaration of its act. */
  readonly act: {
    readonly fields: { readonly [Name in keyof Fields]: Fields[Name]['sent'] }
    readonly problemFields: Readonly<Record<string, string>>
  }
  /** Returns what was sent, as the service calls it. */
  read(body: { readonly [Name in keyof Fields]?: Parameters<Fields[Name]['read']>[0] }): {
    readonly [Name in keyof Fields as ServiceName<Fields, Name>]: ReturnType<Fields[Name]['read']>
  }
  /** Returns the controls, for the view to arrange. @param stored what the form edits */
  show(stored?: { readonly [Name in keyof Fields]: Parameters<Fields[Name]['show']>[1] }): {
    readonly [Name in keyof Fields]: VNode
  }
}

/** Declares a form by its fields (docs/decisions/0138-forms-are-declared-by-their-fields.md). */
export function formOf<Fields extends AnyFields>(declared: Fields): DeclaredForm<Fields> {
  const entries = Object.entries(declared)
  const mapped = (of: (name: string, field: AnyFields[string]) => readonly [string, unknown]) =>
    Object.fromEntries(entries.map(([name, field]) => of(name, field))) as never
  const problems = entries.flatMap(([name, { refusals = [] }]) => refusals.map((code) => [code, name] as const))
  return {
    act: { fields: mapped((name, { sent }) => [name, sent]), problemFields: Object.fromEntries(problems) },
    read: (body) => mapped((name, field) => [field.as ?? name, field.read(body[name])]),
    show: (stored) => mapped((name, field) => [name, field.show(name, stored?.[name])]),
  }
}
