import { causesOf } from './causes.ts'
import { Unavailable } from './errors.ts'

const code = 'storage_unavailable'

/** The refusal while an object storage does not answer. @param cause what the service or the network said */
export const storageAway = (cause: string): Unavailable =>
  new Unavailable('the object storage does not answer', code, { cause })

/** Whether something failed because an object storage does not answer, which passes by itself. */
export const isStorageAway = (error: unknown): boolean =>
  causesOf(error).some((each) => each instanceof Unavailable && each.code === code)
