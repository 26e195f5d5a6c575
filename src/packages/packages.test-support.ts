import { createHash } from 'node:crypto'
import { crc32, gzipSync } from 'node:zlib'
import { buffer } from 'node:stream/consumers'
import { pack } from 'tar-stream'
import { loadUsage } from '../access/quota/usage.store.ts'
import type { UserId } from '../lib/ids.ts'
import type { Answer, ForgeClient, SendOptions } from '../testing/client.ts'
import { idOf } from '../testing/events.ts'
import type { Forge } from '../testing/forge.ts'

/** Sends requests to the registries of one owner, below `/api/packages/{owner}`. */
export const registryOf =
  (client: ForgeClient, owner: string) =>
  (method: string, path: string, raw?: SendOptions['raw'], headers: SendOptions['headers'] = {}): Promise<Answer> =>
    client.send(method, `/api/packages/${owner}/${path}`, undefined, {
      site: true,
      headers,
      ...(raw === undefined ? {} : { raw }),
    })

/** Returns a digest in hexadecimal. */
export const digest = (name: string, content: string | Buffer): string => createHash(name).update(content).digest('hex')

/** Lists the stored files of packages, without unfinished ones. */
export async function storedFiles(forge: Forge): Promise<string[]> {
  const keys: string[] = []
  for await (const { key } of forge.services.blobs.packages.list('')) keys.push(key)
  return keys
}

/** Returns the bytes of packages that an account is charged for. */
export async function packageUsageOf(forge: Forge, name: string): Promise<number> {
  return (await loadUsage(forge.services.db, (await idOf(forge, name)) as UserId)).packages ?? 0
}

type Files = Readonly<Record<string, string | Buffer>>

/** Makes a tar archive of files. */
export async function tarOf(files: Files): Promise<Buffer> {
  const archive = pack()
  for (const [name, content] of Object.entries(files)) archive.entry({ name, mtime: new Date(0) }, content)
  archive.finalize()
  return buffer(archive)
}

export const tgzOf = async (files: Files): Promise<Buffer> => gzipSync(await tarOf(files))

/** Makes a zip archive of uncompressed files. */
export function zipOf(files: Files): Buffer {
  const locals: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const [name, text] of Object.entries(files)) {
    const content = Buffer.from(text)
    const common = Buffer.alloc(26)
    common.writeUInt16LE(20, 0)
    common.writeUInt32LE(crc32(content), 10)
    common.writeUInt32LE(content.length, 14)
    common.writeUInt32LE(content.length, 18)
    common.writeUInt16LE(Buffer.byteLength(name), 22)
    const local = Buffer.concat([Buffer.from('PK\u0003\u0004'), common, Buffer.from(name), content])
    const rest = Buffer.alloc(14)
    rest.writeUInt32LE(offset, 10)
    directory.push(Buffer.concat([Buffer.from('PK\u0001\u0002\u0014\u0000'), common, rest, Buffer.from(name)]))
    locals.push(local)
    offset += local.length
  }
  const listed = Buffer.concat(directory)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(directory.length, 4)
  end.writeUInt16LE(directory.length, 6)
  end.writeUInt32LE(listed.length, 8)
  end.writeUInt32LE(offset, 12)
  return Buffer.concat([...locals, listed, Buffer.from('PK\u0005\u0006'), end])
}

/** Returns the statuses of a request by a guest and by a user without write access. */
export async function refusedTo(forge: Forge, method: string, path: string, raw?: SendOptions['raw']) {
  for (const name of ['alice', 'stranger']) await forge.account(name)
  const answers = [forge.guest, forge.as('stranger')].map((client) => registryOf(client, 'alice')(method, path, raw))
  return (await Promise.all(answers)).map(({ status }) => status)
}
