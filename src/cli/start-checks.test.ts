import assert from 'node:assert/strict'
import { once } from 'node:events'
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import SqliteConnection from 'better-sqlite3'
import { dataFolder, run, serve } from './command.test-support.ts'

interface Bad {
  readonly settings?: string
  /** Puts something into the data folder. */
  readonly prepare?: (folder: string) => void
  readonly line: RegExp
}

/** Makes a file where a setting names a folder. */
function nameTaken(folder: string, setting: string, below: string): void {
  const file = join(folder, 'conf', 'taken')
  mkdirSync(join(folder, 'conf'))
  writeFileSync(file, '')
  appendFileSync(join(folder, 'app.ini'), `${setting} = ${file}${below}\n`)
}

const table = async (port: number): Promise<Bad[]> => [
  {
    settings: '[repository.signing]\nSIGNING_KEY = no.asc\n',
    line: /app\.ini line 6: .*SIGNING_KEY: there is no file/,
  },
  {
    settings: '[repository.signing]\nSIGNING_KEY = bad.asc\n',
    prepare: (folder) => writeFileSync(join(folder, 'bad.asc'), 'garbage', { mode: 0o600 }),
    line: /app\.ini line 6: .*SIGNING_KEY: the key in .*bad\.asc is not/,
  },
  {
    settings: '[server]\nPROTOCOL = https\nCERT_FILE = /no/cert.pem\nKEY_FILE = /no/key.pem\n',
    line: /CERT_FILE: .*does not exist/,
  },
  { settings: `[server]\nHTTP_ADDR = 127.0.0.1\nHTTP_PORT = ${port}\n`, line: /port \d+ of 127\.0\.0\.1 is in use/ },
  { settings: '[server]\nHTTP_ADDR = 192.0.2.1\nHTTP_PORT = 0\n', line: /192\.0\.2\.1: the machine does not have/ },
  {
    settings: '[database]\nDB_TYPE = postgres\nHOST = 127.0.0.1:1\nDB_RETRIES = 1\n',
    line: /PostgreSQL at 127\.0\.0\.1:1 cannot be reached/,
  },
  {
    prepare: (folder) => writeFileSync(join(folder, 'ingot.db'), 'x'.repeat(8000)),
    line: /is not a usable SQLite database/,
  },
  {
    prepare(folder) {
      const db = new SqliteConnection(join(folder, 'ingot.db'))
      db.exec('create table photos (id integer)')
      db.close()
    },
    line: /^ingot: the database belongs to another program: it has a table "photos"/,
  },
  { prepare: (folder) => writeFileSync(join(folder, 'secret.key'), '\n'), line: /secret\.key contains no key/ },
  {
    prepare: (folder) => mkdirSync(join(folder, 'Photos')),
    line: /^ingot: \S+ contains no instance, but other files \(Photos\); name an empty folder with --data/,
  },
  { settings: '[server]\nHTTP_PORT = 99999\n', line: /HTTP_PORT/ },
  { settings: '[git]\nPATH = /no/git\n', line: /^ingot: \/no\/git cannot be started: it does not exist; install git/ },
  {
    prepare(folder) {
      mkdirSync(join(folder, 'conf'))
      appendFileSync(join(folder, 'app.ini'), `[git]\nPATH = ${join(folder, 'conf', 'old-git')}\n`)
      writeFileSync(join(folder, 'conf', 'old-git'), '#!/bin/sh\necho git version 2.20.1\n', { mode: 0o755 })
    },
    line: /old-git is too old: "git version 2\.20\.1"; install git 2\.39 or newer/,
  },
  {
    prepare: (folder) => nameTaken(folder, '[repository]\nROOT', ''),
    line: /the folder \S+taken cannot be made: a file of this name exists; name another with \[repository\]\.ROOT/,
  },
  {
    prepare: (folder) => nameTaken(folder, '[storage]\nPATH', '/files'),
    line: /cannot be made: a part of the path is a file; name another with \[storage\]\.PATH/,
  },
  ...['garbage', '-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEA\n-----END OPENSSH PRIVATE KEY-----\n'].map(
    (key) => ({
      settings: '[server]\nSTART_SSH_SERVER = true\nSSH_SERVER_HOST_KEYS = ssh/host.ed25519\n',
      prepare(folder: string) {
        mkdirSync(join(folder, 'ssh'))
        writeFileSync(join(folder, 'ssh', 'host.ed25519'), key, { mode: 0o600 })
      },
      line: /^ingot: \S+host\.ed25519 is not a host key: it is .*passphrase; restore it/,
    }),
  ),
  {
    settings: '[server]\nPROTOCOL = http+unix\nHTTP_ADDR = /no/folder/web.sock\n',
    line: /\/no\/folder\/web\.sock/,
  },
  {
    prepare(folder) {
      const db = new SqliteConnection(join(folder, 'ingot.db'))
      db.exec(`create table migration (number bigint primary key, name text, requires bigint, applied_unix bigint);
        insert into migration values (9000, 'later', 9000, 0)`)
      db.close()
    },
    line: /the database requires a newer version of the program: migration 9000 \(later\)/,
  },
]

test('config check refuses each configuration that serve refuses, with the same text, and creates nothing', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  const { port } = other.address() as { readonly port: number }
  for (const { settings = '', prepare, line } of await table(port)) {
    using folder = dataFolder(settings)
    prepare?.(folder.path)
    const checked = await run('config', 'check', ...folder.options)
    assert.match(checked.err, line)
    assert.equal(existsSync(join(folder.path, 'repositories')), false)
    const served = await run('serve', ...folder.options)
    assert.deepEqual([served.code, served.err], [checked.code, checked.err])
    assert.notEqual(checked.code, 0)
  }
  other.close()
})

test('config check accepts the settings of a running server', async () => {
  using folder = dataFolder()
  await using serving = await serve(folder.options)
  const { port } = new URL(serving.url)
  writeFileSync(
    join(folder.path, 'app.ini'),
    `[log]\nLEVEL = none\n[server]\nHTTP_ADDR = 127.0.0.1\nHTTP_PORT = ${port}\n`,
  )
  const { code, err } = await run('config', 'check', ...folder.options)
  assert.deepEqual([code, err], [0, ''])
})

test('config check refuses the key and the folders of another instance, as serve does', async () => {
  using folder = dataFolder()
  {
    await using served = await serve(folder.options)
    assert.ok(served.url)
  }
  const path = (name: string): string => join(folder.path, name)
  const key = readFileSync(path('secret.key'))
  const breaks: Readonly<Record<string, readonly [broken: () => void, mended: () => void, line: RegExp]>> = {
    'another key': [
      () => writeFileSync(path('secret.key'), `${'0'.repeat(64)}\n`),
      () => writeFileSync(path('secret.key'), key),
      /the instance key is not the one of this database/,
    ],
    'an empty folder': [
      () => (renameSync(path('repositories'), path('away')), mkdirSync(path('repositories'))),
      () => (rmSync(path('repositories'), { recursive: true }), renameSync(path('away'), path('repositories'))),
      /repositories \(\[repository\]\.ROOT\) is not the one of this database: it is empty or incomplete/,
    ],
    'the folder of another instance': [
      () => foreign(path('blobs/attachments')),
      () => copyFileSync(path('repositories/ingot-instance'), path('blobs/attachments/ingot-instance')),
      /the folder of attachments \S+ \(\[storage\]\) belongs to another instance/,
    ],
  }
  for (const [what, [broken, mended, line]] of Object.entries(breaks)) {
    broken()
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    const checked = await run('config', 'check', ...folder.options)
    assert.match(checked.err, line, what)
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    const served = await run('serve', ...folder.options)
    assert.deepEqual([served.code, served.err], [checked.code, checked.err], what)
    mended()
  }
  assert.deepEqual((await run('config', 'check', ...folder.options)).err, '')
})

const foreign = (folder: string): void => writeFileSync(join(folder, 'ingot-instance'), 'another\n')

test('config check warns of a bucket that does not answer, without which serve starts', async () => {
  using folder = dataFolder()
  {
    await using served = await serve(folder.options)
    assert.ok(served.url)
  }
  appendFileSync(
    join(folder.path, 'app.ini'),
    '[storage.lfs]\nSTORAGE_TYPE = minio\nMINIO_ENDPOINT = http://127.0.0.1:1\nMINIO_BUCKET = none\nMINIO_ACCESS_KEY_ID = a\nMINIO_SECRET_ACCESS_KEY = b\n',
  )
  const { code, out } = await run('config', 'check', ...folder.options)
  assert.equal(code, 0)
  const warned = out.split('\n').filter((line) => line.startsWith('warning: the bucket'))
  assert.equal(warned.length, 1)
  assert.match(
    warned[0] ?? '',
    /the bucket of lfs none\/\S* at http:\/\/127\.0\.0\.1:1 \(\[storage\]\) does not answer: /,
  )
})
