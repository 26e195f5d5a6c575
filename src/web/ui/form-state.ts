import type { Problem, RefusedForm } from './page-context.ts'
import { createScope } from './scope.tsx'

/** What the fields of a form know of it. */
interface FormState {
  readonly problem: Problem | undefined
  readonly values: Readonly<Record<string, unknown>>
  readonly whenShown?: RefusedForm['whenShown']
}

/** What the fields inside a refused form know; the fields of other forms know nothing. */
export const formScope = createScope<FormState>({ problem: undefined, values: {} })

/** Attributes for scripts and styles. */
export type Marks = Readonly<Record<`data-${string}`, string | number | undefined>>

/** Returns a sent value as the text of a field. */
export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : undefined
