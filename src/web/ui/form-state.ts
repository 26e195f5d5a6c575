import { addStored, type StoredFields } from './edited-form.ts'
import type { Problem, RefusedForm } from './page-context.ts'
import { createScope } from './scope.tsx'

/** What the fields of a form know of it. */
interface FormState {
  readonly problem: Problem | undefined
  readonly values: Readonly<Record<string, unknown>>
  readonly whenShown?: RefusedForm['whenShown']
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

/** Returns a sent value as the text of a field. */
export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : undefined
