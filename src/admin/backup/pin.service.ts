import { randomUUID } from 'node:crypto'
import { transaction, type Db } from '../../db/database.ts'
import { Unavailable } from '../../lib/errors.ts'
import { deletePin, insertPin, renewPin } from './pin.store.ts'

/** How long a pin lasts without a renewal, and between two renewals, in milliseconds. */
export const pinLeaseMs = 10 * 60_000
const renewalMs = 60_000

export interface Pin extends AsyncDisposable {
  /** Aborted when the pin has ended, because its renewal failed for too long. */
  readonly signal: AbortSignal
  /** Renews the pin at once. Throws when it has ended, or the database does not answer. */
  confirm(): Promise<void>
}

/**
 * Pins stored files and repositories until the pin is disposed: what rows name now is not deleted, also when the rows go
 * (held-deletions.ts).
 */
export async function pinStored(db: Db): Promise<Pin> {
  const id = randomUUID()
  const lost = new AbortController()
  await transaction(db, (tx) => insertPin(tx, id, pinLeaseMs))
  let renewedMs = performance.now()
  let renewing: Promise<void> = Promise.resolve()
  const lose = () =>
    lost.abort(
      new Unavailable('the backup lost its pin, so files may be missing; make the backup again', 'backup_pin_lost'),
    )
  const confirm = async (): Promise<void> => {
    if (await transaction(db, (tx) => renewPin(tx, id, pinLeaseMs))) renewedMs = performance.now()
    else lose()
  }
  const renew = async (): Promise<void> => {
    try {
      await confirm()
    } catch {
      // The database does not answer. The next renewal may succeed before the pin ends.
      if (performance.now() - renewedMs > pinLeaseMs - renewalMs) lose()
    }
  }
  const timer = setInterval(() => {
    renewing = renew()
  }, renewalMs)
  return {
    signal: lost.signal,
    async confirm() {
      await confirm()
      lost.signal.throwIfAborted()
    },
    async [Symbol.asyncDispose]() {
      clearInterval(timer)
      await renewing
      await transaction(db, (tx) => deletePin(tx, id))
    },
  }
}
