import type { Feature } from '../../access/feature.ts'
import * as actsPage from './conversation-acts.page.tsx'

/** What people do on the pages of issues and pull requests alike. */
export const webConversations: Feature = { routes: [actsPage] }
