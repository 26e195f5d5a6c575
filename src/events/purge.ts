import { beforeCommit, type Tx } from '../db/database.ts'
import type { UserId } from '../lib/ids.ts'
import { written } from './catalogue.ts'
import { emptyTexts } from './event.store.ts'

/**
 * Empties what an account wrote and what was said of it in all events that are kept: those of its own doing, those about
 * its profile and its repositories, and those about its issues and comments that others changed or removed. The events
 * themselves stay, since somebody may have to hear them yet. It is the last thing of the transaction, so that what that
 * publishes is emptied too. Only for purges: every event is looked at.
 */
export function emptyEventsOf(tx: Tx, userId: UserId): void {
  beforeCommit(tx, () => emptyTexts(tx, userId, written))
}
