import { Refusal } from '../../lib/errors.ts'
import type { Problem, RefusedForm } from '../ui/page-context.ts'
import { sentenceOf } from './sentence.ts'

/** The result of a form, or the problem to show. */
export type Outcome<Result> =
  | { readonly result: Result; readonly problem?: undefined }
  | { readonly problem: Problem; readonly result?: undefined }

/**
 * Runs the work of a form. A refusal becomes a problem of the form; other errors are thrown.
 * @param fields maps prefixes of refusal codes to fields
 */
export async function attempt<Result>(
  work: Promise<Result>,
  fields: Readonly<Record<string, string>> = {},
): Promise<Outcome<Result>> {
  try {
    return { result: await work }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const field = Object.entries(fields).find(([code]) => error.code.startsWith(code))?.[1]
    return { problem: { field, message: sentenceOf(error.message) } }
  }
}

/**
 * Returns the refused form of a page; undefined without a problem.
 * @param action path of the form below the site root
 */
export const refusedForm = (
  action: string,
  problem: Problem | undefined,
  values: RefusedForm['values'] = {},
): RefusedForm | undefined => problem && { action, problem, values }
