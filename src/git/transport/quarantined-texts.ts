import { open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { constants, inflateSync } from 'node:zlib'
import { TooLarge } from '../../lib/errors.ts'
import { maxTextObjectBytes } from '../broker/protocol.ts'
import { mustSucceed } from '../broker/broker-client.ts'
import { type GitContext, locate } from '../context.ts'
import type { Quarantine } from '../git-service.ts'

/** Bytes read of a loose object; they hold its header. */
const headerBytes = 64

/**
 * Refuses a push with a commit or tag above `maxTextObjectBytes` (`TooLarge`), because commit lists read such objects
 * whole. Loose objects are few and read here; git lists those in packs.
 */
export async function refuseLargeTexts(context: GitContext, quarantine: Quarantine): Promise<void> {
  for (const name of await readdir(quarantine.path)) {
    // git always makes the folder for packs, and starting a process for an empty one costs milliseconds.
    if (name === 'pack') {
      if ((await readdir(join(quarantine.path, name))).length > 0) await refuseInPacks(context, quarantine)
    } else if (/^[0-9a-f]{2}$/.test(name)) await refuseLoose(join(quarantine.path, name))
  }
}

async function refuseLoose(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const file = await open(join(folder, name))
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(headerBytes), 0, headerBytes, 0)
      const text = inflateSync(buffer.subarray(0, bytesRead), { finishFlush: constants.Z_SYNC_FLUSH }).toString(
        'latin1',
      )
      const [, type = '', size] = /^([a-z]+) (\d+)\0/.exec(text) ?? []
      const refusal = refusalOf(type, Number(size))
      if (refusal !== undefined) throw refusal
    } finally {
      await file.close()
    }
  }
}

async function refuseInPacks(context: GitContext, { key, path }: Quarantine): Promise<void> {
  let rest = ''
  let refusal: TooLarge | undefined
  const ended = await context.broker.each(
    {
      args: ['cat-file', '--batch-all-objects', '--unordered', '--batch-check=%(objecttype) %(objectsize)'],
      cwd: locate(context, key).directory,
      // Only the objects of the push.
      environment: { GIT_OBJECT_DIRECTORY: path },
      timeoutMs: context.limits.transportTimeoutMs,
    },
    (chunk) => {
      const lines = rest + chunk.toString('latin1')
      for (const [, type = '', size] of lines.matchAll(/^(commit|tag) (\d{6,})$/gm)) {
        refusal ??= refusalOf(type, Number(size))
      }
      rest = lines.slice(lines.lastIndexOf('\n') + 1)
      return refusal === undefined
    },
  )
  if (refusal !== undefined) throw refusal
  mustSucceed(ended, 'cat-file')
}

function refusalOf(type: string, sizeBytes: number): TooLarge | undefined {
  const isText = type === 'commit' || type === 'tag'
  if (!isText || sizeBytes <= maxTextObjectBytes) return undefined
  return new TooLarge(
    `a ${type} has ${sizeBytes} bytes; with its message it may have ${maxTextObjectBytes}`,
    'git_message_too_large',
  )
}
