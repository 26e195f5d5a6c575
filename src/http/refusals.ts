import { bodyRefusals, isEventStream, type NamedOperation } from './operation.ts'
import { wordTable } from '../lib/word-table.ts'

/**
 * Refusals of every operation: a zero byte in the request, wrong credentials, an account that may not act, a missing account
 * in `Sudo`, too many attempts with wrong credentials, and a server without room for the request.
 */
const ofEveryOperation = [400, 401, 403, 404, 429, 503]

/** Requirements that find an account or a repository, which redirect from a former name. */
const renamed = wordTable<readonly number[]>({
  'resolve:user': [307],
  'resolve:org': [307],
  'resolve:repo': [301, 307],
})

/**
 * Returns the statuses of refusals and redirects of an operation, sorted: of its requirements, of its body, and
 * those that it declares for its handler (`refuses`). Each reply of a test is compared with them (`testing/described.ts`).
 */
export function refusalsOf({ requires, refuses, query, body, cost, method, reply, writes }: NamedOperation): number[] {
  const found = new Set([...ofEveryOperation, ...refuses, ...requires.flatMap((requirement) => requirement.refuses)])
  const codes = requires.flatMap((requirement) => requirement.codes)
  for (const status of codes.flatMap((code) => renamed[code] ?? [])) {
    // A client repeats a write only after 307 and 308.
    found.add(status === 301 && method !== 'GET' ? 308 : status)
  }
  // A list that is too long for an answer, or work that is too costly, is 422.
  if (Object.keys(query).length > 0 || cost === 'expensive') found.add(422)
  // A client that does not accept an event stream.
  if (Object.values(reply).some(isEventStream)) found.add(406)
  // A range outside of the content.
  if (206 in reply) found.add(416)
  if (writes && method !== 'GET') {
    // What a row refers to was deleted meanwhile.
    found.add(409)
    // A limit of the change that is not obeyed (`http/narrowing.ts`).
    found.add(501)
  }
  if (body !== undefined) for (const status of bodyRefusals) found.add(status)
  return [...found].sort((one, other) => one - other)
}
