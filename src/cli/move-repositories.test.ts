import assert from 'node:assert/strict'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { dataFolder, run, serve, serveOnce } from './command.test-support.ts'

test('admin move-repositories: while the server runs, and finished when it is stopped', async () => {
  using folder = dataFolder()
  const setStorage = (storage: string): void =>
    writeFileSync(
      join(folder.path, 'app.ini'),
      `[log]\nLEVEL = none\n[cron]\nENABLED = false\n[repository]\nSTORAGE = ${storage}\n`,
    )
  const move = (...args: string[]) => run('admin', 'move-repositories', ...args, ...folder.options)
  setStorage('local')
  {
    await using serving = await serve(folder.options)
    const [, password] = /^Password: (\S+)/m.exec(serving.terminal.written.out) ?? []
    const create = (name: string) =>
      fetch(`${serving.url}/api/v1/user/repos`, {
        method: 'POST',
        headers: {
          authorization: `Basic ${Buffer.from(`root:${password}`).toString('base64')}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify({ name, auto_init: true }),
      })
    assert.equal((await create('one')).status, 201)
    const moved = await move('blobs', '--verify')
    assert.equal(moved.code, 0)
    assert.match(moved.out, /^1 repositories; stored 1 packs, \d+ bytes\nverified\n$/)
    assert.equal((await create('two')).status, 201)
    const early = await move('blobs', '--finish')
    assert.equal(early.code, 75)
    assert.equal((await move('local')).code, 1)
  }
  setStorage('blobs')
  const refused = await run('serve', ...folder.options, '--port', '0')
  assert.match(refused.err, /finish it with `ingot admin move-repositories blobs --finish`/)
  setStorage('local')
  const finished = await move('blobs', '--finish', '--verify')
  assert.match(
    finished.out,
    /^2 repositories; stored 1 packs, \d+ bytes\nverified\nfinished; set \[repository\]\.STORAGE = blobs, and start the server\n$/,
  )
  setStorage('blobs')
  rmSync(join(folder.path, 'repositories'), { recursive: true })
  await serveOnceMore(folder.options)
  assert.equal((await run('doctor', ...folder.options)).code, 0)
  const back = await move('local', '--finish', '--verify')
  assert.match(back.out, /^2 repositories are on the disk\nverified\nfinished; set \[repository\]\.STORAGE = local/)
  setStorage('local')
  await serveOnceMore(folder.options)
  assert.equal((await run('doctor', ...folder.options)).code, 0)
})

async function serveOnceMore(options: readonly string[]): Promise<void> {
  await using serving = await serve(options)
  assert.equal((await fetch(`${serving.url}/api/healthz`)).status, 200)
}

test('admin move-repositories: wrong words and a missing instance are refused', async () => {
  using folder = dataFolder()
  assert.equal((await run('admin', 'move-repositories', 'blobs', ...folder.options)).code, 1)
  await serveOnce(folder.options)
  const unknown = await run('admin', 'move-repositories', 'bucket', ...folder.options)
  assert.equal(unknown.code, 2)
  assert.match(unknown.err, /Allowed choices are blobs, local/)
})
