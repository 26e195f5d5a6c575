import type { Services } from '../access/context.ts'
import { countPeople } from '../users/user.store.ts'

/** Resolves when the database answers; rejects when it does not. */
export async function checkHealth(services: Services): Promise<void> {
  await countPeople(services.db)
}
