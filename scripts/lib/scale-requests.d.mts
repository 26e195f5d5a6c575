/** Types of what tests take of `scale-requests.mjs`. */
export interface ScaleRequest {
  readonly operation: string
  readonly name: string
  readonly path: string
  readonly query: string
  readonly isPair?: boolean
}
export function requestsOf(operations: readonly unknown[]): ScaleRequest[]
