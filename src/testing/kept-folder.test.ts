import assert from 'node:assert/strict'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { KeptFolder } from './kept-folder.ts'

/** Kind, mode, time and content of everything in a folder, by path. */
const contentOf = (folder: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .sort()
      .map((path) => {
        const stats = lstatSync(join(folder, path))
        if (stats.isDirectory()) return [path, 'folder']
        if (stats.isSymbolicLink()) return [path, readlinkSync(join(folder, path))]
        return [path, `${stats.mode} ${Math.round(stats.mtimeMs)} ${readFileSync(join(folder, path), 'utf8')}`]
      }),
  )

test('a kept folder comes back after any change, each time, and is deleted at the end', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ingot-kept-test-'))
  const at = (path: string): string => join(folder, path)
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(at(path)), { recursive: true })
    writeFileSync(at(path), text)
  }
  try {
    const paths = ['same', 'in-place', 'replaced', 'mode', 'gone', 'a/b/deep', 'turns/into', 'name']
    for (const path of paths) write(path, path)
    symlinkSync('same', at('link'))
    chmodSync(at('mode'), 0o444)
    const before = contentOf(folder)
    const others = readdirSync(dirname(folder))
    const kept = new KeptFolder(folder)
    const changes: (() => void)[] = [
      () => undefined,
      () => write('in-place', 'IN-PLACE'),
      () => {
        write('new', 'replaced')
        renameSync(at('new'), at('replaced'))
      },
      () => chmodSync(at('mode'), 0o600),
      () => rmSync(at('gone')),
      () => rmSync(at('a'), { recursive: true }),
      () => {
        rmSync(at('turns'), { recursive: true })
        write('turns', 'a file')
      },
      () => {
        rmSync(at('name'))
        write('name/is/now', 'a folder')
      },
      () => {
        rmSync(at('link'))
        symlinkSync('gone', at('link'))
      },
      () => {
        for (const path of readdirSync(folder)) rmSync(at(path), { recursive: true })
      },
    ]
    for (const change of [...changes, ...changes, () => changes.forEach((each) => each())]) {
      change()
      kept.restore()
      assert.deepEqual(contentOf(folder), before)
    }
    const { ino } = lstatSync(at('same'))
    write('in-place', 'IN-PLACE')
    kept.restore()
    assert.equal(lstatSync(at('same')).ino, ino, 'a file without changes is written again')
    kept[Symbol.dispose]()
    assert.deepEqual(
      readdirSync(dirname(folder))
        .filter((name) => name.startsWith('ingot-kept-'))
        .sort(),
      others.filter((name) => name.startsWith('ingot-kept-')).sort(),
    )
    assert.equal(existsSync(folder), true)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
