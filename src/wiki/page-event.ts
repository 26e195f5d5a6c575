import { Type, type Static } from 'typebox'
import type { Tx } from '../db/database.ts'
import { publish } from '../events/hub.ts'
import type { RepoId, UserId } from '../lib/ids.ts'

/** What happened to a page, as the journal keeps it until the change is made. */
export const ToldPage = Type.Object({
  action: Type.Unsafe<'created' | 'edited' | 'deleted'>({ type: 'string', enum: ['created', 'edited', 'deleted'] }),
  page: Type.String(),
  oldPage: Type.Optional(Type.String()),
})

/** Most of a message that is told, in characters: whoever wants the whole of it asks git. */
const maxToldLength = 10_000

export const toldMessage = (message: string): string => message.trim().slice(0, maxToldLength).toWellFormed()

export async function tellPage(
  tx: Tx,
  about: { readonly repoId: RepoId; readonly doerId: UserId; readonly message: string },
  { action, page, oldPage }: Static<typeof ToldPage>,
): Promise<void> {
  if (action === 'created') await publish(tx, 'wiki.pageCreated', { ...about, page })
  // Who hears of a deletion is given no message (contract, webhooks: wiki).
  else if (action === 'deleted') await publish(tx, 'wiki.pageDeleted', { ...about, page, message: '' })
  else await publish(tx, 'wiki.pageEdited', { ...about, page, ...(oldPage === undefined ? {} : { oldPage }) })
}
