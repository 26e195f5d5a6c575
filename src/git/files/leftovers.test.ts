import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import { zeroOid } from '../../lib/refs.ts'
import { commitOn, newRepository, startTestGit } from '../git.test-support.ts'
import { hidePaths } from '../transport/hide-paths.ts'

/** A process that works in a folder like git, until it is killed. */
async function workIn(folder: string): Promise<Disposable & { isAlive(): boolean }> {
  const child = spawn('sh', ['-c', 'echo begun; read -r line'], { cwd: folder, stdio: ['pipe', 'pipe', 'inherit'] })
  await once(child.stdout, 'data')
  return { isAlive: () => child.exitCode === null, [Symbol.dispose]: () => void child.kill('SIGKILL') }
}

test('a lock of a killed git blocks nothing; a held lock stays', async () => {
  await using test = await startTestGit()
  const { git } = test
  const key = await newRepository(git)
  const head = await commitOn(git, key, 'main', { a: 'a' })
  const directory = join(test.root, key.slice(0, 2), `${key}.git`)
  const lock = join(directory, 'refs/heads/next.lock')
  const names = ['refs/heads/next.lock', 'packed-refs.lock', 'HEAD.lock']
  // Pooled readers hold no lock.
  await git.readCommit(key, head)
  {
    using writer = await workIn(directory)
    for (const name of names) writeFileSync(join(directory, name), '')
    assert.ok(writer.isAlive())
    assert.deepEqual(await git.findDead(key), [])
    assert.equal(await git.removeDead(key), 0)
  }
  // A killed process disappears a moment later.
  for (let tries = 0; tries < 500 && (await git.findDead(key)).length === 0; tries++);
  assert.deepEqual((await git.findDead(key)).toSorted(), names.toSorted())
  assert.deepEqual(await git.updateRefs(key, [{ ref: 'refs/heads/next', old: zeroOid(), new: head }]), { ok: true })
  assert.equal(existsSync(lock), false)
  await git.setHead(key, 'next')
  assert.deepEqual(await git.findDead(key), [])
})

test('unfinished files of killed processes are removed; files being written stay', async () => {
  await using test = await startTestGit()
  const { git } = test
  const key = await newRepository(git)
  await commitOn(git, key, 'main', { a: 'a' })
  const objects = join(test.root, key.slice(0, 2), `${key}.git`, 'objects')
  const quarantine = join(objects, 'tmp_objdir-incoming-AbCdEf')
  mkdirSync(quarantine)
  {
    using writer = await workIn(quarantine)
    mkdirSync(join(quarantine, 'pack'))
    writeFileSync(join(quarantine, 'pack/tmp_pack_x'), 'half')
    mkdirSync(join(objects, 'pack'), { recursive: true })
    writeFileSync(join(objects, 'pack/tmp_pack_y'), 'half')
    assert.ok(writer.isAlive())
    assert.equal(await git.removeDead(key), 0)
  }
  for (let tries = 0; tries < 500 && (await git.removeDead(key)) === 0; tries++);
  const left = (await readdir(objects, { recursive: true })).filter((name) => name.includes('tmp_'))
  assert.deepEqual(left, [])
  assert.equal((await git.fsck(key)).ok, true)
})

test('files of running processes stay while the event loop is busy', async () => {
  await using test = await startTestGit()
  const { git } = test
  const key = await newRepository(git)
  const directory = join(test.root, key.slice(0, 2), `${key}.git`)
  using writer = await workIn(directory)
  writeFileSync(join(directory, 'HEAD.lock'), '')
  mkdirSync(join(directory, 'objects/tmp_objdir-incoming-AbCdEf'))
  // Each answer of the system waits for longer than the tolerance between the clocks of files and processes.
  const busy = setInterval(() => {
    for (const end = performance.now() + 60; performance.now() < end;);
  }, 0)
  try {
    assert.deepEqual(await git.findDead(key), [])
  } finally {
    clearInterval(busy)
  }
  assert.ok(writer.isAlive())
})

test('sizes are measured while files and folders appear and disappear', async () => {
  await using test = await startTestGit()
  const { git } = test
  const key = await newRepository(git)
  await commitOn(git, key, 'main', { a: 'a' })
  const objects = join(test.root, key.slice(0, 2), `${key}.git`, 'objects')
  const script = `i=0; while :; do i=$((i+1)); mkdir -p t$((i%7))/a/b; echo x > t$((i%7))/a/b/c; rm -rf t$(((i+3)%7)); done`
  const child = spawn('sh', ['-c', script], { cwd: objects, stdio: 'ignore' })
  try {
    for (let times = 0; times < 300; times++) assert.ok((await git.sizeBytes(key)) > 0)
  } finally {
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
})

test('output of git in a push names no path of the server and keeps its length', async () => {
  const root = '/srv/for.ge/repositories'
  const path = `${root}/ab/${'0'.repeat(24)}.git`
  const message = `0012\x02error: Unable to create '${path}/./refs/heads/x.lock': File exists.\n${root}/other ${path}${path}/`
  for (const size of [1, 7, 30, 1000]) {
    const pieces = Array.from({ length: Math.ceil(message.length / size) }, (_, at) =>
      Buffer.from(message.slice(at * size, (at + 1) * size)),
    )
    const shown = (await buffer(Readable.from(pieces).pipe(hidePaths(root)))).toString()
    assert.equal(shown, message.replaceAll(path, 'repository'.padEnd(path.length, '.')))
    assert.equal(shown.length, message.length)
  }
})
