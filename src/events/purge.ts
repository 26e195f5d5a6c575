import { beforeCommit, type Tx } from '../db/database.ts'
import type { UserId } from '../lib/ids.ts'
import { written } from './catalogue.ts'
import { emptyTexts } from './event.store.ts'

/**
 * Empties the texts of an account in all stored events: in events that it caused, about its profile and repositories, and
 * about its issues and comments that others changed or deleted. The events stay, since jobs may still need them.
 */
export function emptyEventsOf(tx: Tx, userId: UserId): void {
  beforeCommit(tx, () => emptyTexts(tx, userId, written))
}
