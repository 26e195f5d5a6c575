import type { DispatchInput } from '../workflows/workflow.parse.ts'

export type DispatchInputs =
  | { readonly ok: true; readonly inputs: Readonly<Record<string, string>> }
  /** What is missing, by its description or its name. */
  | { readonly ok: false; readonly missing: string }

/**
 * The inputs of a dispatched workflow: only declared ones are kept; an empty one counts as absent and gets its default, or is
 * refused when it is required, or is left out. What is given for a boolean is true only as `on` (observed).
 */
export function effectiveInputs(
  declared: readonly DispatchInput[],
  given: Readonly<Record<string, string>>,
): DispatchInputs {
  const inputs: [string, string][] = []
  for (const { name, description, type, isRequired, fallback } of declared) {
    const value = Object.hasOwn(given, name) ? (given[name] ?? '') : ''
    if (value !== '') inputs.push([name, type === 'boolean' ? String(value === 'on') : value])
    else if (fallback !== '') inputs.push([name, fallback])
    else if (isRequired) return { ok: false, missing: description || name }
  }
  return { ok: true, inputs: Object.fromEntries(inputs) }
}
