import { addStored, type StoredFields } from './edited-form.ts'
import type { Problem, RefusedForm } from './page-context.ts'
import { createScope } from './scope.tsx'

/** What the fields of a form know of it. */
interface FormState {
  readonly problem: Problem | undefined
  readonly values: Readonly<Record<string, unknown>>
  readonly whenShown?: RefusedForm['whenShown']
  readonly whenFilled?: RefusedForm['whenFilled']
  /** What somebody else stored meanwhile, for readers, by name of the field; without what a field shows already. */
  readonly others?: Map<string, string> | undefined
  /** Where the fields of a form that edits say what is stored. */
  readonly stored?: StoredFields | undefined
}

/** What the fields inside a refused form know; the fields of other forms know nothing. */
export const formScope = createScope<FormState>({ problem: undefined, values: {} })

/** Says what is stored in a field of the surrounding form. @param shown for readers; the default is the values */
export function noteStored(name: string, values: readonly string[], shown = values.join(', ')): void {
  const { stored } = formScope.current()
  if (stored !== undefined) addStored(stored, name, values, shown)
}

/** Attributes for scripts and styles. */
export type Marks = Readonly<Record<`data-${string}`, string | number | undefined>>

/** Returns what a control of the surrounding form was sent with; undefined when the form is not refused. */
export function sentValue(name: string): unknown {
  const { values, whenFilled } = formScope.current()
  whenFilled?.(name)
  return values[name]
}

/** Returns a sent value as the text of a field; a list of one value is that value. */
export function textOf(value: unknown): string | undefined {
  if (Array.isArray(value)) return value.length === 1 ? textOf(value[0]) : undefined
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : undefined
}
