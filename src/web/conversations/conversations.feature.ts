import type { Feature } from '../../access/feature.ts'
import * as sideActs from './side-acts.page.tsx'
import * as textActs from './text-acts.page.tsx'

/** What people do on the pages of issues and pull requests alike. */
export const webConversations: Feature = { routes: [sideActs, textActs] }
