import type { Feature } from '../access/feature.ts'
import { mailWelcome } from './welcome.subscribers.ts'

/** What is told by mail. */
export const mail: Feature = {
  subscribers: [mailWelcome],
}
