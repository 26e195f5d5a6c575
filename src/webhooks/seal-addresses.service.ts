import type { Services } from '../access/context.ts'
import { transaction } from '../db/database.ts'
import { addressPurpose, sealedFor } from './hook-secrets.ts'
import { listPlainAddresses, updateAddresses } from './hook.store.ts'

/** Addresses that are sealed in one transaction. */
const batch = 200

/** Seals the addresses that releases before wrote in plain text. A start without such rows costs one query. */
export async function sealAddresses(services: Services): Promise<void> {
  for (;;) {
    const plain = await listPlainAddresses(services.db, batch)
    if (plain.length === 0) return
    const sealed = plain.map(({ id, url }) => ({ id, url, sealed: sealedFor(addressPurpose, services, url) }))
    await transaction(services.db, (tx) => updateAddresses(tx, sealed))
  }
}
