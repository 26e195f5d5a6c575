/** Types of what tests take of `scale-requests.mjs`. */
export interface ScaleRequest {
  readonly operation: string
  readonly name: string
  readonly path: string
  readonly given: Readonly<Record<string, string | number>>
  readonly isWords: boolean
  readonly isFilter?: boolean
  readonly isPair?: boolean
}
export function requestsOf(operations: readonly unknown[]): ScaleRequest[]
/** What stands for names in requests. */
export type Places = Readonly<Record<string, number | string>>
export function findPlaceholders(url: string, size: Readonly<Record<string, number>>): Promise<Places>
export function addressIn(places: Places, request: Pick<ScaleRequest, 'path' | 'given'>, page?: number): string
