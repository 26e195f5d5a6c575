import { Type, type Static } from 'typebox'
import type { Tx } from '../db/database.ts'
import { publish } from '../events/hub.ts'
import type { RepoId, UserId } from '../lib/ids.ts'

/** A change of a page, which the journal stores until the references have moved. */
export const PageEvent = Type.Object({
  action: Type.Unsafe<'created' | 'edited' | 'deleted'>({ type: 'string', enum: ['created', 'edited', 'deleted'] }),
  page: Type.String(),
  oldPage: Type.Optional(Type.String()),
})

/** Longest commit message of an event, in characters. */
const maxMessageLength = 10_000

export const eventMessage = (message: string): string => message.trim().slice(0, maxMessageLength).toWellFormed()

export async function publishPageEvent(
  tx: Tx,
  about: { readonly repoId: RepoId; readonly doerId: UserId; readonly message: string },
  { action, page, oldPage }: Static<typeof PageEvent>,
): Promise<void> {
  if (action === 'created') await publish(tx, 'wiki.pageCreated', { ...about, page })
  // The event of a deletion has no message (contract, webhooks: wiki).
  else if (action === 'deleted') await publish(tx, 'wiki.pageDeleted', { ...about, page, message: '' })
  else await publish(tx, 'wiki.pageEdited', { ...about, page, ...(oldPage === undefined ? {} : { oldPage }) })
}
