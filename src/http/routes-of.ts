import type { NamedOperation, Operation } from './operation.ts'
import { parsePath } from './path.ts'
import type { Route } from './router.ts'

const roots: Readonly<Record<Operation['base'], readonly string[]>> = {
  api: ['/api/v1'],
  vendor: ['/api/service/v1', '/api/forgejo/v1'],
  site: [''],
}

/** Returns the routes of operations, one for each path root of an operation. */
export const routesOf = (operations: readonly NamedOperation[]): Route<NamedOperation>[] =>
  operations.flatMap((operation) =>
    roots[operation.base].map((root) => ({
      method: operation.method,
      segments: parsePath(root + operation.path, operation.params),
      whenQuery: operation.whenQuery,
      target: operation,
    })),
  )
