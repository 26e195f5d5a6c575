import { Unavailable } from './errors.ts'

const code = 'storage_unavailable'

/** The refusal while an object storage does not answer. @param cause what the service or the network said */
export const storageAway = (cause: string): Unavailable =>
  new Unavailable('the object storage does not answer', code, { cause })

/** Whether something failed because an object storage does not answer, which passes by itself. */
export function isStorageAway(error: unknown): boolean {
  for (let each = error, depth = 0; Error.isError(each) && depth < 5; each = each.cause, depth++) {
    if (each instanceof Unavailable && each.code === code) return true
  }
  return false
}
