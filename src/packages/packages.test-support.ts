import { createHash } from 'node:crypto'
import { loadUsage } from '../access/usage.store.ts'
import type { UserId } from '../lib/ids.ts'
import type { Answer, ForgeClient, SendOptions } from '../testing/client.ts'
import { idOf } from '../testing/events.ts'
import type { Forge } from '../testing/forge.ts'

/** Asks the registries of one owner, below `/api/packages/{owner}`. */
export const registryOf =
  (client: ForgeClient, owner: string) =>
  (method: string, path: string, raw?: SendOptions['raw'], headers: SendOptions['headers'] = {}): Promise<Answer> =>
    client.send(method, `/api/packages/${owner}/${path}`, undefined, {
      site: true,
      headers,
      ...(raw === undefined ? {} : { raw }),
    })

/** Digests as they are shown. */
export const digest = (name: string, content: string | Buffer): string => createHash(name).update(content).digest('hex')

/** Files in the store of packages, unfinished ones aside. */
export async function storedFiles(forge: Forge): Promise<string[]> {
  const keys: string[] = []
  for await (const { key } of forge.services.blobs.packages.list('')) keys.push(key)
  return keys
}

/** Bytes of packages that an account is charged for. */
export async function packageUsageOf(forge: Forge, name: string): Promise<number> {
  return (await loadUsage(forge.services.db, (await idOf(forge, name)) as UserId)).packages ?? 0
}
