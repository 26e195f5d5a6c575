import type { CacheBudget } from '../lib/cache-budget.ts'
import type { Services } from './context.ts'

/**
 * Returns state of one running application. Several may run in one process (tests, sandboxes).
 */
export function perApplication<State>(
  make: (caches: CacheBudget) => State,
): (services: Pick<Services, 'caches'>) => State {
  // Contexts are copies of the services; a shared member identifies the application.
  const states = new WeakMap<CacheBudget, State>()
  return ({ caches }) => {
    const known = states.get(caches)
    if (known !== undefined) return known
    const state = make(caches)
    states.set(caches, state)
    return state
  }
}
