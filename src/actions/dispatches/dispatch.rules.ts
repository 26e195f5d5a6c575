import type { DispatchInput } from '../workflows/workflow.parse.ts'

export type DispatchInputs =
  | { readonly ok: true; readonly inputs: Readonly<Record<string, string>> }
  /** The description of the missing input, or its name. */
  | { readonly ok: false; readonly missing: string }

const isTrue = (value: string): boolean => value === 'on' || value.toLowerCase() === 'true'

/**
 * Returns the inputs of a dispatched workflow. Undeclared inputs are dropped. An empty input counts as absent: it gets its
 * default, and a required input without a default is missing. A boolean is true for `on`, as forms send it, and
 * for `true`.
 */
export function effectiveInputs(
  declared: readonly DispatchInput[],
  given: Readonly<Record<string, string>>,
): DispatchInputs {
  const inputs: [string, string][] = []
  for (const { name, description, type, isRequired, fallback } of declared) {
    const value = Object.hasOwn(given, name) ? (given[name] ?? '') : ''
    if (value !== '') inputs.push([name, type === 'boolean' ? String(isTrue(value)) : value])
    else if (fallback !== '') inputs.push([name, fallback])
    else if (isRequired) return { ok: false, missing: description || name }
  }
  return { ok: true, inputs: Object.fromEntries(inputs) }
}

const isNumber = (value: string): boolean => value.trim() !== '' && Number.isFinite(Number(value))

/**
 * Returns the first input whose value has not the declared type: a text for a number, or none of the options. The API
 * accepts such values (observed); forms refuse them.
 */
export const inputOfWrongType = (
  declared: readonly DispatchInput[],
  given: Readonly<Record<string, string>>,
): DispatchInput | undefined =>
  declared.find(({ name, type, options }) => {
    const value = Object.hasOwn(given, name) ? (given[name] ?? '') : ''
    if (value === '') return false
    return type === 'number' ? !isNumber(value) : type === 'choice' && options.length > 0 && !options.includes(value)
  })
