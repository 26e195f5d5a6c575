import { NotAcceptable } from '../lib/errors.ts'
import type { Call } from './operation.ts'

/**
 * Refuses with 406 when the client names the types it takes and this one is not among them. The API's own replies do not
 * ask: there `Accept` is passed over, as the family does it (observed).
 * @param type the type of the reply, without parameters
 */
export function mustAccept(call: Pick<Call, 'headers'>, type: string): void {
  const { accept } = call.headers
  if (typeof accept !== 'string' || accept.trim() === '') return
  const [kind] = type.split('/')
  const takes = accept.split(',').some((range) => {
    const [name = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
    const isRefused = parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))
    return !isRefused && (name === type || name === '*/*' || name === `${kind}/*`)
  })
  if (!takes) throw new NotAcceptable(`the answer is ${type}, which the request does not accept`)
}
