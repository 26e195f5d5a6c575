import type { Feature } from '../access/feature.ts'
import { startWorkflowsOf } from './start-workflows.subscribers.ts'

/** Starts the workflows of repositories when events match their triggers. */
export const triggers: Feature = {
  subscribers: [startWorkflowsOf],
  muted: (config) => (config.actions.enabled ? [] : [startWorkflowsOf]),
}
