import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { StoredPack, StoredRepository } from '../admin/backup/backed-up-rows.ts'
import { BackupFolder } from '../admin/backup/backup-folder.ts'
import { builtFile } from '../lib/assets.ts'
import { withS3 } from '../storage/blobs.test-support.ts'
import type { S3Options } from '../storage/s3-service.ts'
import { openTestDatabase } from '../testing/database.ts'
import { startForge, type Forge } from '../testing/forge.ts'
import { commitFiles, givenPull } from '../testing/given-pull.ts'
import { base64 } from '../testing/samples.ts'
import { smallDisk } from '../transport/small-disk.test-support.ts'
import { until } from '../testing/until.ts'
import { upload } from '../testing/upload.ts'
import { dataFolder, run } from './command.test-support.ts'

const git = promisify(execFile)

const temporaryFolder = (): Disposable & { readonly path: string } => {
  const path = mkdtempSync(join(tmpdir(), 'ingot-backup-'))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true, maxRetries: 3 }) }
}

const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith('ingot.'))
    .map((entry) => join(entry.parentPath, entry.name))

/** Fills a forge with what a backup has to keep. */
async function fill(forge: Forge) {
  const repo = await forge.given.repo({ owner: 'alice', name: 'notes' })
  const { number } = await givenPull(forge, { repo })
  const alice = forge.as('alice')
  const { json: issue } = await alice.must('POST', `${repo.api}/issues`, {
    title: 'Found words',
    body: 'zweifelsohne ü',
  })
  await alice.must('POST', `${repo.api}/issues/${issue.number}/comments`, { body: 'a comment about wombats' })
  const attached = await alice.post(
    `${repo.api}/issues/${issue.number}/assets`,
    undefined,
    upload('note.txt', 'attached text'),
  )
  assert.equal(attached.status, 201)
  await alice.must('PUT', `${repo.api}/actions/secrets/S`, { data: 'secret' })
  await alice.must('POST', `${repo.api}/wiki/new`, { title: 'Home', content_base64: base64('# Wiki') })
  await forge.settle()
  return { repo, number, issue: issue.number as number }
}

type Filled = Awaited<ReturnType<typeof fill>>

/** Fills an instance in a data folder, and backs it up. */
async function fillAndBackUp(source: DataFolder, ...backups: readonly string[]): Promise<Filled> {
  await using forge = await startForge({ dataFolder: source.path, users: ['alice'] })
  const filled = await fill(forge)
  for (const backup of backups) assert.equal((await run('backup', backup, ...source.options)).code, 0)
  return filled
}

/** Makes a data folder with the instance key of another one. */
function placeFor(source: DataFolder, settings = ''): DataFolder {
  const target = dataFolder(settings)
  copyFileSync(join(source.path, 'secret.key'), join(target.path, 'secret.key'))
  return target
}

/** The files in a data folder that a restore has made. */
const restoredIn = (target: DataFolder): string[] =>
  filesBelow(target.path).filter((path) => !/app\.ini$|secret\.key$|\.ingot|gitconfig|hooks/.test(path))

/** Asserts that a forge has what `fill` made, and works. */
async function expectFilled(forge: Forge, { repo, number, issue }: Filled): Promise<void> {
  const alice = forge.as('alice')
  assert.equal((await alice.must('GET', `${repo.api}/pulls/${number}`)).json.mergeable, true)
  const { json: assets } = await alice.must('GET', `${repo.api}/issues/${issue}/assets`)
  const { pathname } = new URL(assets[0].browser_download_url)
  assert.equal((await alice.get(pathname, { site: true })).text, 'attached text')
  const { json: found } = await alice.must('GET', `${repo.api}/issues?q=wombats&type=issues`)
  assert.deepEqual(
    found.map((each: { number: number }) => each.number),
    [issue],
  )
  assert.equal((await alice.must('GET', `${repo.api}/wiki/page/Home`)).json.title, 'Home')
  const { json: next } = await alice.must('POST', `${repo.api}/issues`, { title: 'next' })
  assert.ok(next.number > issue)
  await forge.settle()
}

test('backup, backup verify, restore: a serving instance comes back as it was, and a repeated backup writes what changed', async () => {
  using source = dataFolder()
  using kept = temporaryFolder()
  const backup = join(kept.path, 'backup')
  let filled: Filled
  {
    await using forge = await startForge({ dataFolder: source.path, users: ['alice'] })
    filled = await fill(forge)
    const first = await run('backup', backup, ...source.options)
    assert.deepEqual([first.code, first.err], [0, ''])
    assert.match(
      first.out,
      /rows, 1 files and 2 git repositories are in .*\nKeep apart: the instance key \S+ \(.*secret\.key\)/,
    )
    const before = filesBelow(backup)
    const again = await run('backup', backup, ...source.options)
    assert.match(again.out, /; 0 files \(0 bytes\) were written/)
    assert.deepEqual(filesBelow(backup), before)
    await forge.as('alice').must('POST', `${filled.repo.api}/issues/${filled.issue}/comments`, { body: 'one more' })
    await forge.settle()
    const more = await run('backup', backup, ...source.options)
    assert.equal(more.code, 0)
    assert.ok(filesBelow(backup).length - before.length < 3)
  }
  const verified = await run('backup', 'verify', backup)
  assert.deepEqual([verified.code, verified.err], [0, ''], verified.out)
  assert.match(verified.out, /^ok: \d+ rows, 1 files and 2 git repositories of /)

  using target = dataFolder()
  const refused = await run('restore', backup, ...target.options)
  assert.equal(refused.code, 1)
  assert.match(refused.err, /need the instance key \S+, which was in \S+secret\.key; copy it to/)
  copyFileSync(join(source.path, 'secret.key'), join(target.path, 'secret.key'))
  const restored = await run('restore', backup, ...target.options)
  assert.deepEqual([restored.code, restored.err], [0, ''])
  await using forge = await startForge({ dataFolder: target.path })
  await expectFilled(forge, filled)
  const examined = await run('doctor', ...target.options)
  assert.deepEqual([examined.code, examined.err], [0, ''], examined.out)
})

/** Settings of an empty database: PostgreSQL where the tests use it, else SQLite in the data folder. */
async function emptyDatabase(): Promise<AsyncDisposable & { readonly settings: string }> {
  const database = await openTestDatabase({ isEmpty: true })
  const { options } = database
  let settings = ''
  if (options.kind === 'postgres') {
    const { host, pathname, username, password } = new URL(options.url)
    settings = `[database]\nDB_TYPE = postgres\nHOST = ${host}\nNAME = ${pathname.slice(1)}\nUSER = ${username}\nPASSWD = ${password}\n`
  }
  return { settings, [Symbol.asyncDispose]: () => database[Symbol.asyncDispose]() }
}

const bucketSettings = ({ endpoint }: S3Options, user = 'S3RVER') =>
  `[repository]\nSTORAGE = blobs\n[storage]\nSTORAGE_TYPE = minio\nMINIO_ENDPOINT = ${endpoint}\nMINIO_BUCKET = forge\n` +
  `MINIO_ACCESS_KEY_ID = ${user}\nMINIO_SECRET_ACCESS_KEY = S3RVER\nMINIO_BUCKET_LOOKUP = path\n`

/** Backs up, verifies, and restores into another data folder with the same key. */
async function carry(from: DataFolder, to: DataFolder, backup: string): Promise<void> {
  const made = await run('backup', backup, ...from.options)
  assert.deepEqual([made.code, made.err], [0, ''])
  const verified = await run('backup', 'verify', backup)
  assert.deepEqual([verified.code, verified.err], [0, ''], verified.out)
  copyFileSync(join(from.path, 'secret.key'), join(to.path, 'secret.key'))
  const restored = await run('restore', backup, ...to.options)
  assert.deepEqual([restored.code, restored.err], [0, ''])
}

type DataFolder = ReturnType<typeof dataFolder>

test('restore: from a folder to packs in a bucket, to another database, and back', async () => {
  await withS3(async ({ s3 }) => {
    await using database = await emptyDatabase()
    using kept = temporaryFolder()
    using first = dataFolder()
    using second = dataFolder(database.settings + bucketSettings(s3 as S3Options))
    using third = dataFolder()
    let filled: Filled
    {
      await using forge = await startForge({ dataFolder: first.path, users: ['alice'] })
      filled = await fill(forge)
      await carry(first, second, join(kept.path, 'one'))
    }
    {
      await using forge = await startForge({ dataFolder: second.path })
      await expectFilled(forge, filled)
      assert.ok(forge.services.packs)
      await forge.as('alice').must('POST', `${filled.repo.api}/forks`, { name: 'again' })
      await forge.settle()
      await carry(second, third, join(kept.path, 'two'))
    }
    await using forge = await startForge({ dataFolder: third.path })
    await expectFilled(forge, filled)
    const clone = join(kept.path, 'clone')
    await git('git', ['clone', '-q', await forge.gitUrl('alice', 'alice/again'), clone])
    assert.ok(existsSync(join(clone, 'README.md')))
    const examined = await run('doctor', ...third.options)
    assert.deepEqual([examined.code, examined.err], [0, ''], examined.out)
  })
})

/** Pause of a writer between two changes, in milliseconds; a backup takes several times as long. */
const pauseMs = 30

test('backup: while people write and delete, rows, references and files are of one moment', async () => {
  await using database = await emptyDatabase()
  using source = dataFolder(database.settings)
  using kept = temporaryFolder()
  await using forge = await startForge({ dataFolder: source.path, users: ['alice'] })
  const { repo } = await fill(forge)
  const alice = forge.as('alice')
  let isDone = false
  let isBackingUp = false
  /** Changes that began during a backup, by writer. */
  const changes = [0, 0, 0]
  const write = async (writer: number, act: (round: number) => Promise<unknown>): Promise<void> => {
    // The writers share the process with the backup, and would take most of its time.
    for (let round = 0; !isDone; await wait(pauseMs)) {
      if (!isBackingUp) continue
      changes[writer] = round + 1
      await act(round++)
    }
  }
  const writers = [
    write(0, (round) => commitFiles(forge, repo, 'main', { [`${round}.txt`]: `${round}\n` })),
    write(1, async () => {
      const { json } = await alice.must('POST', `${repo.api}/issues`, { title: 'passing' })
      const { json: file } = await alice.must(
        'POST',
        `${repo.api}/issues/${json.number}/assets`,
        undefined,
        upload('a.txt', 'b'),
      )
      await alice.must('DELETE', `${repo.api}/issues/${json.number}/assets/${file.id}`)
    }),
    write(2, async (round) => {
      const passing = await forge.given.repo({ owner: 'alice', name: `passing-${round}` })
      await alice.must('DELETE', passing.api)
    }),
  ]
  try {
    for (let round = 0; round < 3; round++) {
      isBackingUp = true
      const made = await run('backup', join(kept.path, 'backup'), ...source.options)
      isBackingUp = false
      assert.deepEqual([made.code, made.err], [0, ''])
      const verified = await run('backup', 'verify', join(kept.path, 'backup'))
      assert.deepEqual([verified.code, verified.err], [0, ''], verified.out)
    }
  } finally {
    isDone = true
    await Promise.all(writers)
  }
  assert.ok(
    changes.every((count) => count > 0),
    `changes during the backups: ${changes.join()}`,
  )
})

test('backup and restore: what cannot be done is refused with the reason, and nothing is left', async () => {
  using source = dataFolder()
  using kept = temporaryFolder()
  const backup = join(kept.path, 'backup')
  {
    await using forge = await startForge({ dataFolder: source.path, users: ['alice'] })
    await fill(forge)
  }
  const refuses = async (args: readonly string[], message: RegExp): Promise<void> => {
    const { code, out, err } = await run(...args)
    assert.deepEqual([code, out], [1, ''])
    assert.match(err, message)
    assert.equal(err.split('\n').length, 2, err)
  }
  writeFileSync(join(kept.path, 'letter.txt'), 'x')
  await refuses(['backup', kept.path, ...source.options], /contains other files \(letter\.txt\)/)
  await refuses(['backup', 'verify', kept.path], /is no backup: it has no ingot-backup\.json/)
  assert.equal((await run('backup', backup, ...source.options)).code, 0)
  await refuses(['restore', backup, ...source.options], /ingot\.db exists; a backup is restored into an empty place/)

  using target = placeFor(source)
  mkdirSync(join(target.path, 'blobs/avatars'), { recursive: true })
  const stray = join(target.path, 'blobs/avatars/stray')
  writeFileSync(stray, 'x')
  await refuses(['restore', backup, ...target.options], /the storage of avatars, which has stray, is not empty/)
  assert.ok(!existsSync(join(target.path, 'ingot.db')))
  assert.equal(readFileSync(stray, 'utf8'), 'x')
  rmSync(stray)

  using other = dataFolder()
  {
    await using forge = await startForge({ dataFolder: other.path })
    assert.equal((await forge.guest.get('/version')).status, 200)
  }
  await refuses(['backup', backup, ...other.options], /has the backup of another instance/)

  const manifest = join(backup, 'ingot-backup.json')
  const text = readFileSync(manifest, 'utf8')
  for (const [changed, message] of [
    [text.replace('"format": 1', '"format": 2'), /made by a newer version: its format is 2; use that version/],
    [
      text.replace('"name": "baseline"', '"name": "other"'),
      /ingot-backup\.json is damaged: its checksum is another one/,
    ],
    [text.slice(0, 100), /ingot-backup\.json is damaged/],
  ] as const) {
    writeFileSync(manifest, changed)
    await refuses(['restore', backup, ...target.options], message)
    await refuses(['backup', 'verify', backup], message)
  }
  rmSync(manifest)
  await refuses(['restore', backup, ...target.options], /is a backup that has not been finished/)
  writeFileSync(manifest, text)

  // Half of the files is restored when the fault is found: the place is empty afterwards.
  for (const kind of ['rows', 'files']) {
    for (const path of filesBelow(join(backup, kind))) {
      const content = readFileSync(path)
      rmSync(path)
      await refuses(['restore', backup, ...target.options], /the backup is damaged: \S+ is missing/)
      assert.deepEqual(restoredIn(target), [])
      writeFileSync(path, Buffer.concat([content.subarray(1), Buffer.from('x')]))
      const verified = await run('backup', 'verify', backup)
      assert.equal(verified.code, 1, path)
      assert.match(verified.out + verified.err, /has another content|is not readable/)
      writeFileSync(path, content)
      if (kind === 'rows') break
    }
  }
  assert.equal((await run('backup', 'verify', backup)).code, 0)
  assert.equal((await run('restore', backup, ...target.options)).code, 0)
})

test('restore: one that was killed is run again, before its rows and after them', async () => {
  using source = dataFolder()
  using kept = temporaryFolder()
  const [backup, later] = [join(kept.path, 'backup'), join(kept.path, 'later')]
  const filled = await fillAndBackUp(source, backup, later)
  using target = placeFor(source)
  const marker = join(target.path, 'repositories', 'ingot-instance')
  const killed = spawn(process.execPath, [builtFile('ingot.js'), 'restore', backup, ...target.options])
  const ended = once(killed, 'exit')
  await until(() => existsSync(marker), 'the restore has begun')
  killed.kill('SIGKILL')
  await ended
  for (const command of [['serve', '--port', '0'], ['doctor'], ['backup', join(kept.path, 'other')]]) {
    const refusing = await run(...command, ...target.options)
    assert.deepEqual([refusing.code, refusing.out], [1, ''])
    assert.match(refusing.err, /the restore of a backup has begun in .*; run `ingot restore` again/)
  }
  const database = join(target.path, 'ingot.db')
  if (existsSync(database)) assert.equal(statSync(database).mode & 0o077, 0)
  const again = await run('restore', backup, ...target.options)
  assert.deepEqual([again.code, again.err], [0, ''])
  const instance = readFileSync(marker, 'utf8').trim()

  // As after a kill between the commit of the rows and the last file.
  const [, madeAt] = /"madeAt": ?"([^"]+)"/.exec(readFileSync(join(backup, 'ingot-backup.json'), 'utf8')) ?? []
  writeFileSync(marker, `restoring ${instance} ${madeAt}\n`)
  const refused = await run('restore', later, ...target.options)
  assert.equal(refused.code, 1)
  assert.match(refused.err, /the database is not empty/)
  // A storage that does not answer when the rows are there: these stay.
  const markers = ['attachments', 'lfs', 'avatars'].map((kind) => join(target.path, 'blobs', kind, 'ingot-instance'))
  for (const each of markers) writeFileSync(each, readFileSync(marker))
  const [, away] = markers as [string, string, string]
  rmSync(away)
  symlinkSync(join(kept.path, 'nowhere', 'file'), away)
  assert.notEqual((await run('restore', backup, ...target.options)).code, 0)
  rmSync(away)
  assert.match((await run('restore', later, ...target.options)).err, /the database is not empty/)
  const last = await run('restore', backup, ...target.options)
  assert.deepEqual([last.code, last.err, readFileSync(marker, 'utf8').trim()], [0, '', instance])
  await using forge = await startForge({ dataFolder: target.path })
  await expectFilled(forge, filled)
  const examined = await run('doctor', ...target.options)
  assert.deepEqual([examined.code, examined.err], [0, ''], examined.out)
})

test('restore: storages of another instance stay as they are, also after a restore that was killed', async () => {
  using source = dataFolder()
  using kept = temporaryFolder()
  const backup = join(kept.path, 'backup')
  await fillAndBackUp(source, backup)
  using other = dataFolder()
  {
    await using forge = await startForge({ dataFolder: other.path, users: ['alice'] })
    await fill(forge)
  }
  const [attachments, strangers] = ['attachments', 'lfs'].map((kind) => join(other.path, 'blobs', kind)) as [
    string,
    string,
  ]
  const before = filesBelow(attachments)
  assert.ok(before.length > 0)
  writeFileSync(join(strangers, 'letter'), 'x')
  rmSync(join(strangers, 'ingot-instance'))
  for (const [section, message] of [
    [`[attachment]\nPATH = ${attachments}\n`, /the folder of attachments \S+ \(\[storage\]\) is not empty/],
    [`[lfs]\nPATH = ${strangers}\n`, /the storage of lfs, which has letter, is not empty/],
  ] as const) {
    using target = placeFor(source, section)
    const left = join(target.path, 'blobs/avatars')
    mkdirSync(left, { recursive: true })
    writeFileSync(join(left, 'ingot-instance'), 'restoring another one\n')
    writeFileSync(join(left, 'half'), 'x')
    const refused = await run('restore', backup, ...target.options)
    assert.equal(refused.code, 1)
    assert.match(refused.err, message)
    assert.deepEqual(filesBelow(attachments), before)
    assert.ok(existsSync(join(strangers, 'letter')))
    assert.ok(existsSync(join(left, 'half')), 'nothing is deleted before all storages were looked at')
    writeFileSync(join(target.path, 'app.ini'), readFileSync(join(target.path, 'app.ini'), 'utf8').replace(section, ''))
    assert.deepEqual((await run('restore', backup, ...target.options)).err, '')
    assert.ok(!existsSync(join(left, 'half')))
  }
})

test('restore: a second one beside the first is refused', async () => {
  using source = dataFolder()
  using kept = temporaryFolder()
  await using database = await emptyDatabase()
  const backup = join(kept.path, 'backup')
  const filled = await fillAndBackUp(source, backup)
  using target = placeFor(source, database.settings)
  const first = spawn(process.execPath, [builtFile('ingot.js'), 'restore', backup, ...target.options])
  const ended = once(first, 'exit')
  await until(() => existsSync(join(target.path, 'repositories', 'ingot-instance')), 'the restore has begun')
  first.kill('SIGSTOP')
  const second = await run('restore', backup, ...target.options)
  assert.ok(second.code > 0)
  assert.match(second.err, /is in use by process|another process restores a backup into this database/)
  first.kill('SIGCONT')
  assert.deepEqual(await ended, [0, null])
  await using forge = await startForge({ dataFolder: target.path })
  await expectFilled(forge, filled)
})

test('restore, backup verify: a backup cannot name files outside of the place, nor scripts that git runs', async () => {
  using source = dataFolder()
  using kept = temporaryFolder()
  const path = join(kept.path, 'backup')
  await fillAndBackUp(source, path)
  const { manifest } = await BackupFolder.openToRead(path)
  const sums = new Set(readdirSync(join(path, 'files'), { recursive: true }).map((name) => basename(String(name))))
  const original: StoredRepository[] = []
  for await (const row of (await BackupFolder.openToRead(path)).rows(manifest.repositories)) {
    original.push(row as unknown as StoredRepository)
  }
  const [[repoId, kind, key, refs, packs]] = original as [StoredRepository]
  const [[, sum, indexSum, size]] = packs as [StoredPack]
  const escape = '../../../../escaped'
  for (const [made, hooks] of [
    [packs, [[escape, '#!/bin/sh']]],
    [packs, [['../config', '[core]\n\thooksPath = custom_hooks\n']]],
    [packs, [['reference-transaction', '#!/bin/sh']]],
    [[[`/${escape}`, sum, indexSum, size]], []],
    [[['0'.repeat(40), `../../${escape}`, indexSum, size]], []],
  ]) {
    const folder = await BackupFolder.openToWrite(path)
    const changed = [[repoId, kind, key, refs, made, hooks], ...original.slice(1)]
    const { chunks } = await folder.putRows(Readable.from(changed) as AsyncIterable<unknown[]>, ([id]) => id)
    await folder.finish({ ...manifest, repositories: chunks }, sums)
    using target = placeFor(source)
    for (const command of [
      ['restore', path, ...target.options],
      ['backup', 'verify', path],
    ]) {
      const { code, err } = await run(...command)
      assert.equal(code, 1)
      assert.match(err, /the backup is damaged: repository \d+ \(code\) has unknown packs or hooks/)
    }
    assert.deepEqual(restoredIn(target), [])
  }
})

test('backup and restore: a bucket that refuses leaves the former backup and an empty place', async () => {
  await withS3(async ({ s3 }) => {
    using source = dataFolder()
    using kept = temporaryFolder()
    const backup = join(kept.path, 'backup')
    await fillAndBackUp(source, backup)
    using target = placeFor(source, bucketSettings(s3 as S3Options, 'STRANGER'))
    const refused = await run('restore', backup, ...target.options)
    assert.equal(refused.code, 1)
    assert.match(
      refused.err,
      /^ingot: the object storage refuses: \w+: .*; check its keys and bucket in \[storage\]\n$/,
    )
    assert.ok(!existsSync(join(target.path, 'ingot.db')))
  })
})

test('backup and restore: a full disk leaves the former backup and an empty place', async (t) => {
  using disk = smallDisk()
  if (!disk) return t.skip('no file system can be mounted here')
  using source = dataFolder()
  const backup = join(disk.folder, 'backup')
  await using forge = await startForge({ dataFolder: source.path, users: ['alice'] })
  const { repo } = await fill(forge)
  assert.equal((await run('backup', backup, ...source.options)).code, 0)
  await commitFiles(forge, repo, 'main', { 'more.txt': 'more\n' })
  await forge.settle()
  disk.fill()
  const full = await run('backup', backup, ...source.options)
  assert.deepEqual([full.code, full.out], [1, ''])
  assert.match(full.err, /^ingot: .*(?:no room on the disk|no space left)/)
  const verified = await run('backup', 'verify', backup)
  assert.deepEqual([verified.code, verified.err], [0, ''], verified.out)

  const place = join(disk.folder, 'data')
  disk.free()
  mkdirSync(place)
  copyFileSync(join(source.path, 'app.ini'), join(place, 'app.ini'))
  copyFileSync(join(source.path, 'secret.key'), join(place, 'secret.key'))
  disk.fill()
  const refused = await run('restore', backup, '--data', place)
  assert.deepEqual([refused.code, refused.out], [1, ''])
  assert.match(refused.err, /no room on the disk|disk is full|no space left/)
  disk.free()
  assert.equal((await run('restore', backup, '--data', place)).code, 0)
})
