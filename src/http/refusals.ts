import { bodyRefusals, type NamedOperation } from './operation.ts'

/**
 * Refusals of every operation: a zero byte in the request, wrong credentials, an account that may not act, too many
 * attempts with wrong credentials, and a server without room for the request.
 */
const ofEveryOperation = [400, 401, 403, 429, 503]

/** Requirements that find an account or a repository, which redirect from a former name. */
const renamed: Readonly<Record<string, readonly number[]>> = {
  'resolve:user': [307],
  'resolve:org': [307],
  'resolve:repo': [301, 307],
}

/**
 * Returns the statuses of refusals and redirects of an operation, sorted: of its requirements, of its address and body, and
 * those that it declares for its handler (`refuses`). Each reply of a test is compared with them (`testing/described.ts`).
 */
export function refusalsOf({ requires, refuses, params, query, body, cost, method, writes }: NamedOperation): number[] {
  const found = new Set([...ofEveryOperation, ...refuses, ...requires.flatMap((requirement) => requirement.refuses)])
  const codes = requires.flatMap((requirement) => requirement.codes)
  for (const status of codes.flatMap((code) => renamed[code] ?? [])) {
    // A client repeats a write only after 307 and 308.
    found.add(status === 301 && method !== 'GET' ? 308 : status)
  }
  if (Object.keys(params).length > 0) found.add(404)
  // A list that is too long for an answer, or work that is too costly, is 422.
  if (Object.keys(query).length > 0 || cost === 'expensive') found.add(422)
  // A limit of the change that is not obeyed (`http/narrowing.ts`).
  if (writes && method !== 'GET') found.add(501)
  if (body !== undefined) for (const status of bodyRefusals) found.add(status)
  return [...found].sort((one, other) => one - other)
}
