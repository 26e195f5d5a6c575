/** Types of what tests take of `scale-requests.mjs`. */
export interface ScaleRequest {
  readonly operation: string
  readonly name: string
  readonly path: string
  readonly query: string
  readonly isWords: boolean
  readonly isFilter?: boolean
  readonly isPair?: boolean
}
export function requestsOf(operations: readonly unknown[]): ScaleRequest[]
/** What stands for names in paths of requests. */
export type Places = Readonly<Record<string, number>>
export function findPlaces(url: string): Promise<Places>
export function pathIn(places: Places, path: string): string
