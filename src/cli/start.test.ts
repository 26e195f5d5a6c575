import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { once } from 'node:events'
import { join } from 'node:path'
import { test } from 'node:test'
import { runCommand } from './command.ts'
import { dataFolder, recordingTerminal, run, type Ran } from './command.test-support.ts'

const ports = ['--host', '127.0.0.1', '--port', '0']

/** A failed start prints one line without a stack trace and creates no account. */
function expectOneLine({ code, out, err }: Ran, expected: number, line: RegExp): void {
  assert.match(err, line)
  assert.deepEqual([code, out, err.split('\n').length], [expected, '', 2], err)
  assert.doesNotMatch(err, /^ {2,}at |Error:/m)
}

test('serve: an unusable data folder ends the start with the cause and the option', async () => {
  using folder = dataFolder()
  const file = join(folder.path, 'file')
  writeFileSync(file, '')
  for (const [path, reason] of [
    ['/proc/ingot', 'the parent folder does not exist or takes no new folders'],
    ['/proc/ingot/below', 'the parent folder does not exist or takes no new folders'],
    [file, 'a file of this name exists'],
    [join(file, 'below'), 'a part of the path is a file'],
  ] as const) {
    const served = await run('serve', '--data', path, ...ports)
    expectOneLine(
      served,
      1,
      new RegExp(`^ingot: the folder ${path} cannot be made: ${reason}; name another with --data`),
    )
  }
  assert.ok(!existsSync('/proc/ingot'))
})

test('serve: folders that cannot be created name their setting', async () => {
  using repositories = dataFolder('[repository]\nROOT = /proc/repositories\n')
  expectOneLine(
    await run('serve', ...repositories.options, ...ports),
    1,
    /\/proc\/repositories cannot .*\[repository\]\.ROOT/,
  )
  using files = dataFolder('[storage]\nPATH = /proc/files\n')
  expectOneLine(await run('serve', ...files.options, ...ports), 1, /\/proc\/files.* cannot be made.*\[storage\]\.PATH/)
  using rows = dataFolder('[database]\nPATH = /proc/rows/ingot.db\n')
  expectOneLine(await run('serve', ...rows.options, ...ports), 1, /\/proc\/rows cannot be made.*\[database\]\.PATH/)
})

test('serve, doctor: a file that is not a database is reported with its path and the next step', async () => {
  using folder = dataFolder()
  const path = join(folder.path, 'ingot.db')
  const line = new RegExp(
    `^ingot: ${path} is not a usable SQLite database: .*; restore it from a backup, or name another`,
  )
  writeFileSync(path, randomBytes(8000))
  expectOneLine(await run('serve', ...folder.options, ...ports), 1, line)
  expectOneLine(await run('doctor', ...folder.options), 1, line)
  using unopened = dataFolder()
  mkdirSync(join(unopened.path, 'ingot.db'))
  expectOneLine(await run('serve', ...unopened.options, ...ports), 1, /ingot\.db cannot be opened: .*; give the user/)
})

test('serve: a broken key file, a missing git and a port in use are reported in one line', async () => {
  using keyless = dataFolder()
  writeFileSync(join(keyless.path, 'secret.key'), '\n')
  expectOneLine(await run('serve', ...keyless.options, ...ports), 1, /secret\.key contains no key/)
  using gitless = dataFolder('[git]\nPATH = /nowhere/git\n')
  expectOneLine(await run('serve', ...gitless.options, ...ports), 1, /git/)
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  const { port } = other.address() as { readonly port: number }
  using folder = dataFolder()
  const busy = await run('serve', ...folder.options, '--host', '127.0.0.1', '--port', String(port))
  expectOneLine(busy, 1, /^ingot: port \d+ of 127\.0\.0\.1 is in use by another program; .* with --port$/m)
  other.close()
})

test('serve: --ssh-port without the SSH server is refused', async () => {
  using folder = dataFolder()
  const refused = await run('serve', ...folder.options, ...ports, '--ssh-port', '2222')
  expectOneLine(refused, 1, /^ingot: --ssh-port needs the SSH server; set \[server\]\.START_SSH_SERVER = true/)
  using disabled = dataFolder('[server]\nSTART_SSH_SERVER = true\nDISABLE_SSH = true\n')
  expectOneLine(await run('serve', ...disabled.options, ...ports, '--ssh-port', '2222'), 1, /--ssh-port needs the SSH/)
})

const unreachable = (settings: string) => dataFolder(`[database]\nDB_TYPE = postgres\nHOST = 127.0.0.1:1\n${settings}`)

test('serve: an unreachable PostgreSQL is retried DB_RETRIES times', async () => {
  using folder = unreachable('DB_RETRIES = 3\nDB_RETRY_BACKOFF = 100ms\n')
  const startedMs = performance.now()
  const line =
    /^ingot: PostgreSQL at 127\.0\.0\.1:1 cannot be reached: .*ECONNREFUSED.*; check that it runs, and check \[database\]\.HOST$/m
  expectOneLine(await run('serve', ...folder.options, ...ports), 1, line)
  assert.ok(performance.now() - startedMs >= 190, 'it waits between the tries')
  expectOneLine(await run('doctor', ...folder.options), 1, line)
})

test('serve: a signal during the wait for PostgreSQL ends the start at once', async () => {
  using folder = unreachable('DB_RETRIES = 1000\nDB_RETRY_BACKOFF = 10m\n')
  const terminal = recordingTerminal()
  const ended = runCommand(['serve', ...folder.options, ...ports], terminal)
  setTimeout(() => terminal.stop(), 300)
  assert.deepEqual([await ended, terminal.written.out, terminal.written.err], [0, '', ''])
})

const postgresUrl = process.env['INGOT_TEST_DATABASE'] ?? ''
const skip = postgresUrl === '' ? 'SQLite has no accounts and no server' : false

test('serve: a PostgreSQL that refuses the user or lacks the database is not retried', { skip }, async () => {
  const { hostname, port, searchParams, username, password } = new URL(postgresUrl)
  const host = searchParams.get('host') ?? `${hostname}:${port || 5432}`
  const base = `HOST = ${host}\nDB_RETRIES = 1000\nDB_RETRY_BACKOFF = 10m\n`
  using nameless = dataFolder(
    `[database]\nDB_TYPE = postgres\n${base}NAME = no_such_database\nUSER = ${username}\nPASSWD = ${password}\n`,
  )
  const line = /^ingot: PostgreSQL at \S+: .*"no_such_database".*; create it, or name another with \[database\]\.NAME$/m
  expectOneLine(await run('serve', ...nameless.options, ...ports), 1, line)
  using nobody = dataFolder(`[database]\nDB_TYPE = postgres\n${base}USER = no_such_account\nPASSWD = wrong\n`)
  expectOneLine(await run('serve', ...nobody.options, ...ports), 1, /^ingot: PostgreSQL at .*no_such_account/m)
})

test('a failed command prints warnings about the settings', async () => {
  using folder = dataFolder('[server]\nHTTPPORT = 3000\n')
  const warning = /^warning: app\.ini line 6: \[server\] HTTPPORT: is no setting that anybody knows$/m
  for (const command of [['admin', 'user', 'list'], ['doctor']]) {
    const failed = await run(...command, ...folder.options)
    assert.equal(failed.code, 1)
    assert.match(failed.err, warning)
    assert.match(failed.err, /^ingot: .* is not a data folder/m)
  }
  using wrong = dataFolder('[server]\nHTTPPORT = 3000\nHTTP_PORT = many\n')
  for (const command of [['serve'], ['admin', 'user', 'list'], ['config', 'show']]) {
    const failed = await run(...command, ...wrong.options)
    assert.equal(failed.code, 78)
    assert.match(failed.err, warning)
    assert.match(failed.err, /HTTP_PORT: must be a whole number/)
  }
})
