import type { Tx } from '../db/database.ts'
import { publish } from '../events/hub.ts'
import type { RepoId, UserId } from '../lib/ids.ts'

/** A change of a page. */
export interface PageEvent {
  readonly action: 'created' | 'edited' | 'deleted'
  readonly page: string
  readonly oldPage?: string
}

/** Longest commit message of an event, in characters. */
const maxMessageLength = 10_000

export const eventMessage = (message: string): string => message.trim().slice(0, maxMessageLength).toWellFormed()

export async function publishPageEvent(
  tx: Tx,
  about: { readonly repoId: RepoId; readonly doerId: UserId; readonly message: string },
  { action, page, oldPage }: PageEvent,
): Promise<void> {
  if (action === 'created') await publish(tx, 'wiki.pageCreated', { ...about, page })
  // The event of a deletion has no message (contract, webhooks: wiki).
  else if (action === 'deleted') await publish(tx, 'wiki.pageDeleted', { ...about, page, message: '' })
  else await publish(tx, 'wiki.pageEdited', { ...about, page, ...(oldPage === undefined ? {} : { oldPage }) })
}
