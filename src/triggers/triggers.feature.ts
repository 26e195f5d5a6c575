import type { Feature } from '../access/feature.ts'
import { startWorkflowsOf } from './start-workflows.subscribers.ts'

/** What happens in repositories starts the workflows that they have. */
export const triggers: Feature = {
  subscribers: [startWorkflowsOf],
  muted: (config) => (config.actions.enabled ? [] : [startWorkflowsOf]),
}
