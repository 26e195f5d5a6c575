import type { Tx } from '../db/database.ts'
import type { ChangedCredential } from '../events/catalogue/users.ts'
import { publish } from '../events/hub.ts'
import type { Ctx } from './context.ts'

/**
 * Publishes that the caller created something that outlives the caller's credential, so that a mail tells the caller. A
 * command or a job has no caller, and publishes nothing.
 * @param name what people call it; never a secret
 */
export async function publishCredentialChange(
  tx: Tx,
  { viewer }: Pick<Ctx, 'viewer'>,
  what: ChangedCredential,
  name: string,
): Promise<void> {
  if (viewer) await publish(tx, 'credential.changed', { userId: viewer.id, what, name })
}
