/** States that count, the worst first; any other text that is stored counts as none of them. */
const severities = ['error', 'failure', 'warning', 'pending', 'success'] as const

export const isKnownState = (state: string): boolean => (severities as readonly string[]).includes(state)

/**
 * The state of several contexts together: the worst of them, where an error counts as a failure; empty for none.
 * Source: the recorded exchanges.
 */
export function combinedState(states: readonly string[]): string {
  const worst = severities.find((severity) => states.includes(severity))
  return worst === 'error' ? 'failure' : (worst ?? '')
}
