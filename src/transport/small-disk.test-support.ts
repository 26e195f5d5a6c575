import { spawnSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A small disk that can be filled; undefined when the test may not mount one. */
export function smallDisk(): ({ readonly folder: string; fill(): void; free(): void } & Disposable) | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'ingot-disk-'))
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=48m,mode=0700', 'none', folder])
  if (mounted.status !== 0) {
    rmSync(folder, { recursive: true })
    return undefined
  }
  const filler = join(folder, 'filler')
  return {
    folder,
    fill() {
      const file = openSync(filler, 'a')
      try {
        for (let size = 1 << 20; size >= 512;) {
          try {
            writeSync(file, Buffer.alloc(size))
          } catch {
            size /= 2
          }
        }
      } finally {
        closeSync(file)
      }
    },
    free: () => rmSync(filler, { force: true }),
    [Symbol.dispose]() {
      spawnSync('umount', ['-l', folder])
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
