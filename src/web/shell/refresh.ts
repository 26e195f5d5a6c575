import type { StreamMessage } from '../../http/event-stream.ts'

/** Tells the page to load itself again: the new page is checked and rendered for its reader. */
export const refresh: StreamMessage = { html: '<turbo-stream action="refresh"></turbo-stream>' }
