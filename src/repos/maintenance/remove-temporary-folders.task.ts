import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Ctx, Services } from '../../access/context.ts'
import { schedule } from '../../jobs/schedule.ts'

/** No request works this long with its folder, in milliseconds. Another process may use a younger one. */
const abandonedAfterMs = 24 * 3600 * 1000

/** Removes the folders of requests that a crash ended: uploaded files, and keys of mirrors. */
export const removeTemporaryFolders = schedule<Ctx>({
  name: 'remove_temporary_folders',
  when: '@every 24h',
  runAtStart: true,
  // A start that a crash ends is no failure of the task.
  attempts: 10,
  run: (ctx, { signal }) => cleanTemporaryFolders(ctx, signal),
})

/** Removes abandoned temporary folders on this machine. */
export async function cleanTemporaryFolders({ config, clock }: Services, signal: AbortSignal): Promise<void> {
  const { tmp } = config.paths
  await mkdir(tmp, { recursive: true, mode: 0o700 })
  for (const name of await readdir(tmp)) {
    signal.throwIfAborted()
    const path = join(tmp, name)
    // A request may have ended meanwhile.
    const facts = await stat(path).catch(() => undefined)
    if (facts && clock.nowMs() - facts.mtimeMs > abandonedAfterMs) await rm(path, { recursive: true, force: true })
  }
}
