import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { startForge } from '../testing/forge.ts'
import { runProgram } from '../testing/program.ts'
import { dataFolder, run } from './command.test-support.ts'

/** The bytes of all files below a folder. */
const sizeOf = (folder: string): number =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0)

/** How a tool keeps generations, as `docs/administration.md` advises; each command names a folder. */
interface Tool {
  /** Makes the place that keeps generations. */
  begin?(store: string): readonly string[]
  keep(backup: string, store: string, generation: string): readonly (readonly string[])[]
  /** Fetches a generation into the folder, whose path below it is that of the backup; `isBelow` says whether. */
  fetch(store: string, generation: string, folder: string): readonly string[]
  readonly isBelow: boolean
  /** Whether one place keeps several generations. */
  readonly generations: boolean
}

const tools: Readonly<Record<string, Tool>> = {
  restic: {
    begin: (store) => ['-r', store, 'init'],
    keep: (backup, store, generation) => [['-r', store, 'backup', '--tag', generation, backup]],
    fetch: (store, generation, folder) => ['-r', store, 'restore', 'latest', '--tag', generation, '--target', folder],
    isBelow: true,
    generations: true,
  },
  borg: {
    begin: (store) => ['init', '--encryption', 'repokey', store],
    keep: (backup, store, generation) => [['create', `${store}::${generation}`, backup]],
    fetch: (store, generation) => ['extract', `${store}::${generation}`],
    isBelow: true,
    generations: true,
  },
  rclone: {
    keep: (backup, store) => [
      ['copy', '--exclude', 'ingot-backup.json', backup, store],
      ['sync', backup, store],
    ],
    fetch: (store, _generation, folder) => ['copy', store, folder],
    isBelow: false,
    generations: false,
  },
}

/** The tools of this machine; in CI all of them. */
async function installedTools(): Promise<readonly (readonly [string, Tool])[]> {
  const found: [string, Tool][] = []
  for (const [name, tool] of Object.entries(tools)) {
    if ((await runProgram(name, ['version'])).code !== -1) found.push([name, tool])
    else assert.equal(process.env['CI'], undefined, `${name} is missing: install its Debian package`)
  }
  return found
}

test('backup: restic, borg and rclone keep it, store of a second one what is new, and give back what verifies', async (t) => {
  const installed = await installedTools()
  if (installed.length === 0) return t.skip('none of the tools is installed')
  using source = dataFolder()
  const work = mkdtempSync(join(tmpdir(), 'ingot-backup-tools-'))
  const backup = join(work, 'backup')
  const storeOf = (name: string): string => join(work, `store-${name}`)
  const env = {
    HOME: work,
    RESTIC_PASSWORD: 'a password',
    BORG_PASSPHRASE: 'a password',
    RCLONE_CONFIG: join(work, 'none'),
  }
  const play = async (name: string, args: readonly string[], cwd = work): Promise<void> => {
    const ended = await runProgram(name, args, { cwd, env })
    assert.equal(ended.code, 0, `${name} ${args.join(' ')}: ${ended.out}${ended.err}`)
  }
  const backUp = async (): Promise<void> => {
    const ended = await run('backup', backup, ...source.options)
    assert.deepEqual([ended.code, ended.err], [0, ''])
  }
  /** Fetches a generation and verifies it; returns what it has. */
  const verify = async ([name, tool]: readonly [string, Tool], generation: string): Promise<string> => {
    const folder = mkdtempSync(join(work, 'fetched-'))
    await play(name, tool.fetch(storeOf(name), generation, folder), folder)
    const verified = await run('backup', 'verify', tool.isBelow ? join(folder, backup) : folder)
    assert.deepEqual([verified.code, verified.err], [0, ''], `${name}: ${verified.out}`)
    return verified.out
  }
  try {
    await using forge = await startForge({ dataFolder: source.path, users: ['alice'] })
    const repo = await forge.given.repo({ owner: 'alice', name: 'notes' })
    const alice = forge.as('alice')
    const content = randomBytes(300_000).toString('base64')
    await alice.must('POST', `${repo.api}/contents/noise.bin`, { message: 'noise', content })
    await forge.settle()
    await backUp()
    for (const [name, tool] of installed) {
      if (tool.begin) await play(name, tool.begin(storeOf(name)))
      for (const args of tool.keep(backup, storeOf(name), 'one')) await play(name, args)
    }
    const firstBytes = new Map(installed.map(([name]) => [name, sizeOf(storeOf(name))]))
    await alice.must('POST', `${repo.api}/issues`, { title: 'one more' })
    await forge.settle()
    await backUp()
    for (const each of installed) {
      const [name, tool] = each
      for (const args of tool.keep(backup, storeOf(name), 'two')) await play(name, args)
      const newBytes = sizeOf(storeOf(name)) - (firstBytes.get(name) as number)
      assert.ok(newBytes < 100_000, `${name} stores ${newBytes} bytes, although the large file was there`)
      const second = await verify(each, 'two')
      if (tool.generations) assert.notEqual(await verify(each, 'one'), second, `${name}: the former generation`)
    }
  } finally {
    rmSync(work, { recursive: true, force: true, maxRetries: 3 })
  }
})
