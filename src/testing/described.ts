import { Type } from 'typebox'
import { firstProblem } from '../http/decode.ts'
import { apiErrors } from '../http/error-forms.ts'
import { isBytes, isJsonAs, isPage, type NamedOperation } from '../http/operation.ts'
import { refusalsOf } from '../http/refusals.ts'
import { Router } from '../http/router.ts'
import { routesOf } from '../http/routes-of.ts'

/** A request, and what came back. */
export interface Exchange {
  readonly method: string
  /** Path from the root of the site, with its query. */
  readonly path: string
  readonly status: number
  readonly json: unknown
}

const routers = new WeakMap<readonly NamedOperation[], Router<NamedOperation>>()
const statuses = new WeakMap<NamedOperation, ReadonlySet<number>>()

/** Statuses of the server itself, which no operation describes: a refused method, an address that is too long, a defect. */
const ofServer: ReadonlySet<number> = new Set([304, 414, 417, 431, 500, 501])

const APIError = Type.Object({
  message: Type.String(),
  url: Type.Optional(Type.String()),
  code: Type.Optional(Type.String()),
})

/**
 * Compares a reply of the API with the description of its operation: the status is described and the body fits its schema.
 * The server checks what it sends with the same compiled schemas, so a comparison costs microseconds. Throws an error that
 * names the difference.
 */
export function checkDescribed(operations: readonly NamedOperation[], { method, path, status, json }: Exchange): void {
  const operation = operationAt(operations, method, path)
  if (!operation || isPage(operation) || operation.family !== 'api' || ofServer.has(status)) return
  const shape = operation.reply[status]
  if (shape === undefined && !statusesOf(operation).has(status)) {
    throw new Error(`${operation.id}: the description has no status ${status} (${method} ${path})`)
  }
  if (shape === 'empty' || isBytes(shape) || operation.errors !== apiErrors || json === undefined) return
  const schema = isJsonAs(shape) ? shape.schema : (shape ?? APIError)
  const problem = firstProblem(schema, json)
  if (!problem) return
  throw new Error(
    `${operation.id}: the body of ${status} does not fit its schema: ${problem.field} ${problem.reason} (${method} ${path})`,
  )
}

function operationAt(operations: readonly NamedOperation[], method: string, path: string): NamedOperation | undefined {
  let router = routers.get(operations)
  if (!router) routers.set(operations, (router = new Router(routesOf(operations))))
  const [address = '', ...query] = path.split('?')
  try {
    return router.find(method, address, query.join('?'))?.target
  } catch {
    // A malformed escape is refused before an operation is found.
    return undefined
  }
}

function statusesOf(operation: NamedOperation): ReadonlySet<number> {
  let found = statuses.get(operation)
  if (!found) statuses.set(operation, (found = new Set(refusalsOf(operation))))
  return found
}
