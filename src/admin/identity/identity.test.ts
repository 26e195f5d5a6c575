import assert from 'node:assert/strict'
import { cpSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { transaction } from '../../db/database.ts'
import { dataFolder, run, serve } from '../../cli/command.test-support.ts'
import { instanceMarker } from '../../storage/blobs.ts'
import { openTestDatabase } from '../../testing/database.ts'
import { startForge, type Forge } from '../../testing/forge.ts'
import { until } from '../../testing/until.ts'

const ports = ['--host', '127.0.0.1', '--port', '0']

/** Serves a data folder until it has an account, a repository and a stored secret. */
async function filled(path: string): Promise<void> {
  await using forge = await startForge({ dataFolder: path, users: ['alice'] })
  const repo = await forge.given.repo({ owner: 'alice', name: 'kept' })
  assert.equal((await forge.as('alice').put(`${repo.api}/actions/secrets/S`, { data: 'x' })).status, 201)
}

/** Asserts that the start, and each command on the instance, ends with one line. */
async function expectRefusal(options: readonly string[], line: RegExp): Promise<void> {
  for (const command of [
    ['serve', ...options, ...ports],
    ['admin', 'user', 'list', ...options],
  ]) {
    const { code, out, err } = await run(...command)
    assert.match(err, line, command.join(' '))
    assert.deepEqual([code, out, err.split('\n').length], [1, '', 2], err)
  }
}

test('serve: a backup without repositories, files or key is refused, examined by doctor and accepted by doctor --claim', async () => {
  using folder = dataFolder()
  await filled(folder.path)
  const repositories = join(folder.path, 'repositories')
  const id = readFileSync(join(repositories, instanceMarker), 'utf8')
  assert.equal(readFileSync(join(folder.path, 'blobs/attachments', instanceMarker), 'utf8'), id)
  await serveOnceMore(folder.options)

  renameSync(repositories, `${repositories}.away`)
  await expectRefusal(
    folder.options,
    /^ingot: the folder of repositories \S+ .* is empty or incomplete; mount or restore it/,
  )
  const examined = await run('doctor', ...folder.options, '--only', 'instance')
  assert.deepEqual([examined.code, examined.err], [1, ''])
  assert.match(examined.out, /is empty or incomplete.*\(needs an administrator\)/)
  rmSync(repositories, { recursive: true, force: true })
  renameSync(`${repositories}.away`, repositories)
  await serveOnceMore(folder.options)

  const key = readFileSync(join(folder.path, 'secret.key'), 'utf8')
  rmSync(join(folder.path, 'secret.key'))
  await expectRefusal(folder.options, /^ingot: the instance key is not the one of this database.*restore secret\.key/)
  writeFileSync(join(folder.path, 'secret.key'), `new key\n${key}`)
  await serveOnceMore(folder.options)
  writeFileSync(join(folder.path, 'secret.key'), 'new key\n')
  await serveOnceMore(folder.options)

  rmSync(join(folder.path, 'blobs'), { recursive: true })
  await expectRefusal(folder.options, /^ingot: the folder of \w+ \S+blobs\S+ .* is empty or incomplete/)
  const claimed = await run('doctor', ...folder.options, '--claim', '--only', 'instance')
  assert.deepEqual([claimed.code, claimed.err], [0, ''])
  await serveOnceMore(folder.options)
})

const serveOnceMore = async (options: readonly string[]): Promise<void> => {
  await using serving = await serve(options)
  assert.match(serving.terminal.written.out, /Ingot serves/)
}

test('serve: folders or the database of another instance are refused', async () => {
  using one = dataFolder()
  using other = dataFolder()
  await filled(one.path)
  await filled(other.path)
  using mixed = dataFolder(`[repository]\nROOT = ${join(one.path, 'repositories')}\n`)
  cpSync(join(other.path, 'ingot.db'), join(mixed.path, 'ingot.db'))
  cpSync(join(other.path, 'secret.key'), join(mixed.path, 'secret.key'))
  await expectRefusal(mixed.options, /^ingot: the folder of repositories \S+ .* belongs to another instance/)
  // A new database beside the files of an instance.
  rmSync(join(one.path, 'ingot.db'))
  const { code, err } = await run('serve', ...one.options, ...ports)
  assert.equal(code, 1)
  assert.match(
    err,
    /^ingot: \S+repositories contains repositories that this database does not have; restore the database/,
  )
})

test('an instance without identity gets one when its key and its repositories fit the rows, and is refused otherwise', async () => {
  using folder = dataFolder()
  await filled(folder.path)
  await forget(folder.path)
  const repositories = join(folder.path, 'repositories')
  renameSync(repositories, `${repositories}.away`)
  await expectRefusal(
    folder.options,
    /^ingot: \S+ does not contain the repositories of this database; restore the folder/,
  )
  assert.ok(!existsSync(join(repositories, instanceMarker)))
  rmSync(repositories, { recursive: true, force: true })
  renameSync(`${repositories}.away`, repositories)
  const key = readFileSync(join(folder.path, 'secret.key'), 'utf8')
  writeFileSync(join(folder.path, 'secret.key'), 'another key\n')
  await expectRefusal(folder.options, /^ingot: the instance key does not open the stored secrets/)
  writeFileSync(join(folder.path, 'secret.key'), key)
  await serveOnceMore(folder.options)
  assert.ok(existsSync(join(repositories, instanceMarker)))
})

test('a file of the identity without content counts as missing: another process writes it, or a crash cut it off', async () => {
  using folder = dataFolder()
  await filled(folder.path)
  const file = join(folder.path, 'repositories', instanceMarker)
  const id = readFileSync(file, 'utf8')
  writeFileSync(file, '')
  await expectRefusal(folder.options, /^ingot: the folder of repositories \S+ .* is empty or incomplete/)
  writeFileSync(file, id)
  await forget(folder.path)
  writeFileSync(file, '')
  await serveOnceMore(folder.options)
  assert.equal(readFileSync(file, 'utf8').length, id.length)
})

/** Makes an instance as one that started before it could have an identity. */
async function forget(path: string): Promise<void> {
  {
    await using forge = await startForge({ dataFolder: path })
    await transaction(forge.services.db, async (tx) => {
      await tx.deleteFrom('instance_value').where('name', 'like', 'identity.%').execute()
    })
  }
  rmSync(join(path, 'repositories', instanceMarker))
  for (const kind of [
    'attachments',
    'lfs',
    'packages',
    'avatars',
    'repo-avatars',
    'repo-archive',
    'actions_log',
    'actions_artifacts',
  ]) {
    rmSync(join(path, 'blobs', kind, instanceMarker), { force: true })
  }
}

test('a process with another folder or key than the first process of the database does not start', async () => {
  await using database = await openTestDatabase()
  using one = dataFolder()
  using other = dataFolder()
  await using first = await startForge({ database: database.options, dataFolder: one.path })
  assert.equal((await first.guest.get('/version')).status, 200)
  await assert.rejects(
    startForge({ database: database.options, dataFolder: other.path }),
    /instance key is not the one/,
  )
  cpSync(join(one.path, 'secret.key'), join(other.path, 'secret.key'))
  await assert.rejects(
    startForge({ database: database.options, dataFolder: other.path }),
    /the folder of repositories \S+ .* is empty or incomplete/,
  )
  await using second = await startForge({ database: database.options, dataFolder: one.path })
  assert.equal((await second.guest.get('/version')).status, 200)
})

test('health: every storage answers, strangers cause one check, and a storage that is gone makes it fail', async () => {
  using folder = dataFolder()
  await using forge = await startForge({ dataFolder: folder.path })
  const ask = () => forge.guest.get('/api/healthz', { site: true })
  const reads = countReads(forge)
  await Promise.all(Array.from({ length: 20 }, ask))
  assert.equal(reads(), 1)
  renameSync(join(folder.path, 'blobs/lfs'), join(folder.path, 'blobs/away'))
  await until(async () => (await ask()).status !== 200)
  const { status, json } = await ask()
  assert.deepEqual(
    [status, json.code, json.message],
    [503, 'part_unavailable', 'the part "lfs" of the instance does not answer'],
  )
  renameSync(join(folder.path, 'blobs/away'), join(folder.path, 'blobs/lfs'))
})

function countReads(forge: Forge): () => number {
  let count = 0
  const store = forge.services.blobs.lfs
  const get = store.get.bind(store)
  store.get = (...given) => {
    count++
    return get(...given)
  }
  return () => count
}
