import type { CacheBudget } from '../lib/cache-budget.ts'
import type { Services } from './context.ts'

/**
 * Memory that each running application has of its own, since several may run in one process (tests, sandboxes) and know
 * nothing of each other. It lives as long as the application does.
 */
export function perApplication<State>(
  make: (caches: CacheBudget) => State,
): (services: Pick<Services, 'caches'>) => State {
  // Contexts are copies of the services; what they all share stands for the application.
  const states = new WeakMap<CacheBudget, State>()
  return ({ caches }) => {
    const known = states.get(caches)
    if (known !== undefined) return known
    const state = make(caches)
    states.set(caches, state)
    return state
  }
}
