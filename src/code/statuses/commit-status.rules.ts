/** Known states, worst first. Other stored texts count as none of them. */
const severities = ['error', 'failure', 'warning', 'pending', 'success'] as const

export const isKnownState = (state: string): boolean => (severities as readonly string[]).includes(state)

/**
 * The worst state of several contexts, with an error shown as a failure; empty without states. Source: the recorded
 * exchanges.
 */
export const combinedState = (states: readonly string[]): string => worstOf(severities, states)

/** Returns the first state of an order that occurs, with an error as a failure; empty when none occurs. */
export function worstOf(order: readonly string[], states: readonly string[]): string {
  const worst = order.find((severity) => states.includes(severity))
  return worst === 'error' ? 'failure' : (worst ?? '')
}
