import type { Services } from './context.ts'

/**
 * Memory that each running application has of its own, since several may run in one process (tests, sandboxes) and know
 * nothing of each other. It lives as long as the application does.
 */
export function perApplication<State>(make: () => State): (services: Pick<Services, 'git'>) => State {
  // Contexts are copies of the services; what they all share stands for the application.
  const states = new WeakMap<Services['git'], State>()
  return ({ git }) => {
    const known = states.get(git)
    if (known !== undefined) return known
    const state = make()
    states.set(git, state)
    return state
  }
}
