import assert from 'node:assert/strict'
import { once } from 'node:events'
import { chmodSync, copyFileSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { connect as connectTls } from 'node:tls'
import SqliteConnection from 'better-sqlite3'
import { program } from '../lib/program.ts'
import { makeCertificate } from '../testing/certificate.ts'
import { ForgeClient, type Credentials } from '../testing/client.ts'
import { until } from '../testing/until.ts'
import { runCommand } from './command.ts'
import { dataFolder, recordingTerminal, run, serve, serveOnce, type Ran } from './command.test-support.ts'

const asPerson = (url: string, credentials: Credentials): ForgeClient => new ForgeClient(url, async () => credentials)

test('the program prints its version and usage', async () => {
  const version = await run('--version')
  assert.deepEqual([version.code, version.out], [0, `ingot ${program.version}\n`])
  for (const args of [
    [],
    ['serve'],
    ['config', 'check'],
    ['config', 'show'],
    ['admin', 'user', 'create'],
    ['admin', 'user', 'list'],
    ['admin', 'user', 'change-password'],
    ['admin', 'user', 'generate-access-token'],
    ['admin', 'auth', 'add-ldap-simple'],
    ['doctor'],
    ['openapi'],
  ]) {
    const help = await run(...args, '--help')
    assert.equal(help.code, 0, args.join(' '))
    assert.match(help.out, new RegExp(`^Usage: ${['ingot', ...args].join(' ')} `), args.join(' '))
  }
})

test('wrong usage exits with 2 and names the error', async () => {
  const command = await run('unheard-of')
  assert.deepEqual([command.code, command.out], [2, ''])
  assert.match(command.err, /unknown command unheard-of/)
  const option = await run('doctor', '--unheard-of')
  assert.equal(option.code, 2)
  assert.match(option.err, /unknown option '--unheard-of'/)
  assert.equal((await run('admin', 'user', 'create')).code, 2)
})

test('config check: accepts valid settings, warns, and reports errors with their line', async () => {
  using good = dataFolder('[server]\nHTTPPORT = 3000\n')
  const checked = await run('config', 'check', ...good.options)
  assert.equal(checked.code, 0)
  assert.match(checked.out, /^warning: app.ini line 6: \[server\] HTTPPORT: .*\n.*app.ini: valid\n$/)
  using wrong = dataFolder('[server]\nHTTP_PORT = many\n')
  const refused = await run('config', 'check', ...wrong.options)
  assert.deepEqual([refused.code, refused.out], [78, ''])
  assert.match(refused.err, /app.ini line 6: \[server\] HTTP_PORT: must be a whole number/)
  using both = dataFolder('[server]\nHTTP_PORT = many\nHTTPPORT = 3000\n')
  const checkResult = await run('config', 'check', ...both.options)
  assert.equal(checkResult.code, 78)
  assert.match(checkResult.out, /^warning: app.ini line 7: \[server\] HTTPPORT: is no setting that anybody knows\n$/)
  using idle = dataFolder('[server]\nOFFLINE_MODE = true\nENABLE_PPROF = true\n[storage]\nPATH = blobs\n')
  const checkedIdle = await run('config', 'check', ...idle.options)
  assert.deepEqual(
    checkedIdle.out.match(/^warning: .*$/gm),
    ['line 6: [server] OFFLINE_MODE', 'line 7: [server] ENABLE_PPROF'].map(
      (setting) => `warning: app.ini ${setting}: has no effect in this release`,
    ),
  )
})

test('config check: compares certificate and key of https, and serve refuses the same files', async () => {
  using folder = dataFolder('[server]\nPROTOCOL = https\nCERT_FILE = ./cert.pem\nKEY_FILE = ./key.pem\n')
  const first = await makeCertificate(folder.path, 'first')
  const second = await makeCertificate(folder.path, 'second')
  const settings = readFileSync(join(folder.path, 'app.ini'), 'utf8').replaceAll('./', `${folder.path}/`)
  writeFileSync(join(folder.path, 'app.ini'), settings)
  const [certFile, keyFile] = [join(folder.path, 'cert.pem'), join(folder.path, 'key.pem')]
  const check = () => run('config', 'check', ...folder.options)
  const expectRefusal = async (reason: RegExp) => {
    const checked = await check()
    assert.equal(checked.code, 78)
    assert.match(checked.err, reason)
    const served = await run('serve', ...folder.options)
    assert.deepEqual([served.code, served.err], [78, checked.err])
  }
  await expectRefusal(/app.ini line 7: \[server\] CERT_FILE: .*cert.pem: does not exist/)
  copyFileSync(first.certFile, certFile)
  await expectRefusal(/app.ini line 8: \[server\] KEY_FILE: .*key.pem: does not exist/)
  copyFileSync(second.keyFile, keyFile)
  await expectRefusal(/line 8: \[server\] KEY_FILE: .*the key does not belong to the first certificate of .*cert.pem/)
  writeFileSync(keyFile, 'garbage')
  await expectRefusal(/line 8: \[server\] KEY_FILE: .*holds no private key in PEM/)
  copyFileSync(first.keyFile, keyFile)
  assert.deepEqual(await check(), { code: 0, out: `${join(folder.path, 'app.ini')}: valid\n`, err: '' })
})

test('serve: SIGHUP reloads the certificate of https', async () => {
  using folder = dataFolder()
  const first = await makeCertificate(folder.path, 'first')
  const second = await makeCertificate(folder.path, 'second')
  const [certFile, keyFile] = [join(folder.path, 'cert.pem'), join(folder.path, 'key.pem')]
  const use = (each: typeof first) => {
    copyFileSync(each.certFile, certFile)
    copyFileSync(each.keyFile, keyFile)
  }
  use(first)
  writeFileSync(
    join(folder.path, 'app.ini'),
    `[log]\nLEVEL = none\n[server]\nPROTOCOL = https\nCERT_FILE = ${certFile}\nKEY_FILE = ${keyFile}\n`,
  )
  await using serving = await serve(folder.options)
  const port = Number(new URL(serving.url).port)
  const nameOf = async () => {
    const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false })
    await once(socket, 'secureConnect')
    const name = socket.getPeerCertificate().subject.CN
    socket.destroy()
    return name
  }
  assert.equal(await nameOf(), 'first')
  use(second)
  serving.terminal.hangUp()
  await until(async () => (await nameOf()) === 'second', 'the second certificate')
})

test('config show: prints the effective settings without secrets', async () => {
  using data = dataFolder('[server]\nHTTP_PORT = 8123\n[metrics]\nTOKEN = hush\n')
  const server = await run('config', 'show', 'server', ...data.options)
  assert.match(server.out, /^\[server\]\n[\s\S]*^HTTP_PORT = 8123 ; app.ini line 6$/m)
  const changed = await run('config', 'show', '--changed', '--json', ...data.options)
  assert.ok(!changed.out.includes('hush'))
  const shown = JSON.parse(changed.out) as { section: string; key: string; value: string }[]
  assert.deepEqual(
    shown.filter(({ section }) => section === 'metrics').map(({ key, value }) => [key, value]),
    [['TOKEN', '********']],
  )
})

test('every command except serve refuses a folder without an instance', async () => {
  using data = dataFolder()
  const person = ['--username', 'ann', '--email', 'ann@example.com', '--password', 'Passw0rd!']
  for (const path of [data.path, join(data.path, 'mistyped')]) {
    for (const args of [
      ['doctor'],
      ['doctor', '--fix'],
      ['admin', 'user', 'list'],
      ['admin', 'user', 'create', ...person],
      ['admin', 'user', 'change-password', '--username', 'ann', '--password', 'Passw0rd!'],
      ['admin', 'user', 'generate-access-token', '--username', 'ann'],
    ]) {
      const refused = await run(...args, '--data', path)
      assert.deepEqual([refused.code, refused.out], [1, ''], args.join(' '))
      assert.match(refused.err, new RegExp(`^ingot: ${path} is not a data folder: .*ingot serve`), args.join(' '))
    }
    await run('config', 'show', '--data', path)
    await run('openapi', '--data', path)
  }
  assert.deepEqual(readdirSync(data.path), ['app.ini'])
})

test('admin user: creates and lists accounts, sets passwords, and creates tokens that the server accepts', async () => {
  using data = dataFolder()
  await serveOnce(data.options)
  const weak = await run(
    'admin',
    'user',
    'create',
    ...data.options,
    '--username',
    'ann',
    '--email',
    'ann@example.com',
    '--password',
    'short',
  )
  assert.deepEqual([weak.code, weak.err], [1, 'ingot: the password needs at least 8 characters\n'])
  const both = await run('admin', 'user', 'create', ...data.options, '--username', 'ann', '--email', 'ann@example.com')
  assert.deepEqual([both.code, both.err], [1, 'ingot: give exactly one of --password and --random-password\n'])
  const made = await run(
    'admin',
    'user',
    'create',
    ...data.options,
    '--username',
    'ann',
    '--email',
    'ann@example.com',
    '--random-password',
    '--admin',
    '--access-token',
  )
  assert.equal(made.code, 0)
  const [, password, token] =
    /^created account ann\npassword: (\S+)\naccess token: ([0-9a-f]{40})\n$/.exec(made.out) ?? []
  assert.ok(password && token)
  const again = await run(
    'admin',
    'user',
    'create',
    ...data.options,
    '--username',
    'Ann',
    '--email',
    'a2@example.com',
    '--random-password',
  )
  assert.deepEqual([again.code, again.err], [1, 'ingot: the name Ann is taken\n'])
  await run(
    'admin',
    'user',
    'create',
    ...data.options,
    '--username',
    'bob',
    '--email',
    'bob@example.com',
    '--password',
    'Passw0rd!',
  )

  const listed = await run('admin', 'user', 'list', ...data.options, '--json')
  const people = listed.out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  assert.deepEqual(
    people.map((person) => [person.name, person.is_admin]),
    [
      ['root', true],
      ['ann', true],
      ['bob', false],
    ],
  )
  const admins = await run('admin', 'user', 'list', ...data.options, '--admin')
  assert.match(admins.out, /^id\tname\t.*\n1\troot\t.*\n2\tann\tann@example.com\tyes\tyes\t.*\tnever\n$/)

  const missing = await run(
    'admin',
    'user',
    'change-password',
    ...data.options,
    '--username',
    'carol',
    '--password',
    'Passw0rd!',
  )
  assert.deepEqual(
    [missing.code, missing.err],
    [1, 'ingot: account carol does not exist; `ingot admin user list` shows the accounts\n'],
  )
  const changed = await run(
    'admin',
    'user',
    'change-password',
    ...data.options,
    '--username',
    'bob',
    '--password',
    'Another-0ne',
  )
  assert.equal(changed.code, 0)

  await using serving = await serve(data.options)
  assert.ok(!serving.terminal.written.out.includes('Administrator'))
  assert.equal((await asPerson(serving.url, { token }).get('/user')).json.login, 'ann')
  assert.equal((await asPerson(serving.url, { basic: { login: 'ann', password } }).get('/user')).status, 200)
  assert.equal(
    (await asPerson(serving.url, { basic: { login: 'bob', password: 'Passw0rd!' } }).get('/user')).status,
    401,
  )
  const bob = { basic: { login: 'bob', password: 'Another-0ne' } }
  assert.equal((await asPerson(serving.url, bob).get('/user')).status, 200)

  // Also while the server runs.
  const scoped = await run(
    'admin',
    'user',
    'generate-access-token',
    ...data.options,
    '--username',
    'bob',
    '--scopes',
    'read:user',
    '--raw',
  )
  assert.match(scoped.out, /^[0-9a-f]{40}\n$/)
  assert.equal((await asPerson(serving.url, { token: scoped.out.trim() }).get('/user')).json.login, 'bob')
  const unknown = await run(
    'admin',
    'user',
    'generate-access-token',
    ...data.options,
    '--username',
    'bob',
    '--scopes',
    'fly',
  )
  assert.deepEqual([unknown.code, unknown.err], [1, 'ingot: unknown scope: fly\n'])
})

test('admin user, admin task: change, sign out, rename and delete accounts beside a running server', async () => {
  using data = dataFolder()
  await using serving = await serve(data.options)
  const admin = (...args: string[]): Promise<Ran> => run('admin', ...args, ...data.options)
  const must = async (...args: string[]): Promise<string> => {
    const { code, out, err } = await admin(...args)
    assert.equal(code, 0, `${args.join(' ')}: ${err}`)
    return out
  }
  const failure = async (...args: string[]): Promise<string> => {
    const { code, err } = await admin(...args)
    assert.equal(code, 1, args.join(' '))
    return err
  }
  for (const name of ['ann', 'bob']) {
    const password = ['--password', 'Passw0rd!']
    await must('user', 'create', '--username', name, '--email', `${name}@example.com`, ...password)
  }
  const ann = (password = 'Passw0rd!') => asPerson(serving.url, { basic: { login: 'ann', password } })
  assert.equal((await ann().get('/user')).status, 200)
  assert.match(await failure('user', 'change-password', '--username', 'ann'), /one of --password and --random-password/)
  const given = await must('user', 'change-password', '--username', 'ann', '--random-password')
  const password = /^password: (\S+)$/m.exec(given)?.[1]
  assert.equal((await ann(password).get('/user')).status, 200)

  assert.match(await failure('user', 'edit', '--username', 'ann'), /nothing to change/)
  assert.match(await failure('user', 'edit', '--username', 'ann', '--admin', 'maybe'), /--admin .*must be yes or no/)
  assert.match(await failure('user', 'edit', '--username', 'root', '--admin', 'no'), /the last administrator/)
  assert.match(await failure('user', 'edit', '--username', 'ann', '--email', 'bob@example.com'), /used already/)
  await must('user', 'edit', '--username', 'ann', '--admin', 'yes', '--fullname', 'Ann A.')
  const { json } = await ann(password).get('/user')
  assert.deepEqual([json.is_admin, json.full_name], [true, 'Ann A.'])
  await must('user', 'edit', '--username', 'ann', '--prohibit-login', 'yes', '--admin', 'no')
  assert.notEqual((await ann(password).get('/user')).status, 200)

  assert.match(await failure('user', 'must-change-password'), /name accounts, or give --all/)
  assert.match(await failure('user', 'must-change-password', 'bob', '--exclude', 'ann'), /goes with --all/)
  assert.equal(await must('user', 'must-change-password', 'bob'), '1 account was changed\n')
  assert.equal(await must('user', 'must-change-password', '--all', '--exclude', 'root'), '1 account was changed\n')
  assert.equal(await must('user', 'must-change-password', '--all', '--unset'), '2 accounts were changed\n')
  assert.match(await must('user', 'end-sessions', '--username', 'bob'), /signed out/)

  await must('user', 'rename', '--username', 'bob', '--new-username', 'robert')
  assert.match(await failure('user', 'rename', '--username', 'robert', '--new-username', 'ann'), /taken/)
  const robert = asPerson(serving.url, { basic: { login: 'robert', password: 'Passw0rd!' } })
  assert.equal((await robert.post('/user/repos', { name: 'one', auto_init: true })).status, 201)
  assert.match(await failure('user', 'delete', '--username', 'robert'), /repositor/)
  await must('user', 'delete', '--username', 'robert', '--purge')
  assert.match(await failure('user', 'delete', '--username', 'root'), /the last administrator/)
  assert.equal((await asPerson(serving.url, {}).get('/repos/robert/one')).status, 404)

  assert.match(await must('task', 'list'), /^clear_audit_log\t/m)
  await must('task', 'run', 'clear_audit_log')
  assert.match(await failure('task', 'run', 'no_such_task'), /task no_such_task does not exist/)

  const log = (await must('audit', '--json'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const acts = log.filter(({ action, object }) => object.name !== 'root' && action !== 'password.used')
  assert.deepEqual([...new Set(acts.map(({ credential }) => credential))], ['command'])
  assert.deepEqual(
    log
      .toReversed()
      .map(({ action }) => action)
      .filter((action) => !/^(?:user\.created|password\.used|repo\.)/.test(action)),
    [
      'password.changed',
      'user.edited',
      'user.edited',
      'password.changeAsked',
      'password.changeAsked',
      'password.changeNotAsked',
      'session.allEnded',
      'user.renamed',
      'user.deleted',
      'task.run',
    ],
  )

  // A follower sees the actions of another process.
  const terminal = recordingTerminal()
  const following = runCommand(
    ['admin', 'audit', '--follow', '--limit', '1', '--action', 'task.*', ...data.options],
    terminal,
  )
  await until(() => terminal.written.out.includes('task.run'))
  await must('user', 'end-sessions', '--username', 'ann')
  await must('task', 'run', 'delete_old_actions')
  await until(() => terminal.written.out.split('\n').length > 2)
  terminal.stop()
  assert.equal(await following, 0)
  const lines = terminal.written.out.trim().split('\n')
  assert.deepEqual(
    lines.map((line) => line.split('\t')[6]),
    ['task clear_audit_log', 'task delete_old_actions'],
  )
})

test('admin signing-key: shows, lists, renews and forgets keys', async () => {
  using data = dataFolder('[repository.signing]\nSIGNING_KEY = generate\nFORMAT = ssh\nSIGNING_NAME = Forge\n')
  await serveOnce(data.options)
  const key = (...args: string[]): Promise<Ran> => run('admin', 'signing-key', ...args, ...data.options)
  const first = (await key('show')).out
  assert.match(first, /^ssh-ed25519 \S+ noreply@localhost\n$/)
  const [, fingerprint = ''] = /^ssh\t(SHA256:\S+)\tForge <noreply@localhost>\t/.exec((await key('list')).out) ?? []
  assert.match((await key('forget', '--fingerprint', fingerprint)).err, /signs with this key/)
  assert.match((await key('renew')).out, /^the instance signs with SHA256:/)
  assert.notEqual((await key('show')).out, first)
  assert.equal((await key('forget', '--fingerprint', fingerprint)).code, 0)
  assert.equal((await key('renew', '--forget')).code, 0)
  assert.equal((await key('list')).out.trim().split('\n').length, 1)
  using unsigned = dataFolder()
  await serveOnce(unsigned.options)
  assert.match((await run('admin', 'signing-key', 'show', ...unsigned.options)).err, /the instance signs nothing/)
  assert.match((await run('admin', 'signing-key', 'renew', ...unsigned.options)).err, /signs with no key of its own/)
})

test('admin auth: adds, lists, changes, tests and removes sources, with secrets from a file', async () => {
  using folder = dataFolder()
  await serveOnce(folder.options)
  const secret = join(folder.path, 'secret.txt')
  writeFileSync(secret, 'of the client\n')
  const auth = (...args: string[]) => run('admin', 'auth', ...args, ...folder.options)
  const provider = ['add-oauth', '--name', 'company', '--auto-discover-url', 'http://127.0.0.1:1', '--key', 'us']
  const added = await auth(...provider, '--secret-file', secret, '--skip-local-2fa')
  assert.deepEqual([added.code, added.err], [0, ''])
  assert.match(added.out, /^added company, number 1\n.*user\/oauth2\/company\/callback\n$/)
  const directory = ['add-ldap', '--name', 'staff', '--host', '127.0.0.1', '--port', '1', '--user-search-base', 'dc=x']
  assert.equal((await auth(...directory, '--security-protocol', 'unencrypted', '--not-active')).code, 0)
  assert.equal((await auth('list')).out, '1\tcompany\topenid\tactive\n2\tstaff\tldap\toff\n')
  for (const wrong of [
    provider,
    [...provider.slice(0, 1), '--name', 'a/b', ...provider.slice(3)],
    ['update-ldap', '--id', '1', '--host', 'x'],
    ['update-ldap', '--id', '2', '--group-team-map', '{"a":["b"]}'],
    ['update-ldap', '--id', '2', '--port', 'x'],
    ['update-ldap', '--id', '9', '--port', '1'],
    ['update-oauth', '--id', '1', '--secret', 'a', '--secret-file', secret],
    ['update-oauth', '--id', '1', '--secret-file', join(folder.path, 'missing')],
    ['delete', '--id', 'x'],
  ]) {
    assert.equal((await auth(...wrong)).code, 1, wrong.join(' '))
  }
  assert.equal((await auth('update-oauth', '--id', '1', '--name', 'firm', '--no-skip-local-2fa')).code, 0)
  const map = '{"cn=crew,dc=x":{"org":["team"]}}'
  assert.equal((await auth('update-ldap', '--id', '2', '--active', '--group-team-map', map)).code, 0)
  const silent = await auth('test', '--id', '2', '--login', 'ann')
  assert.equal(silent.code, 1)
  assert.match(silent.out, /^failed connect/)
  assert.match((await auth('test', '--id', '1')).out, /^failed read the description/)
  const database = new SqliteConnection(join(folder.path, 'ingot.db'), { readonly: true })
  const rows = database.prepare('select name, settings, sealed from sign_in_source order by id').all() as {
    name: string
    settings: string
    sealed: string
  }[]
  database.close()
  assert.deepEqual(
    rows.map(({ name, sealed }) => [name, sealed.slice(0, 3)]),
    [
      ['firm', 'v1.'],
      ['staff', ''],
    ],
  )
  assert.match(rows[0]?.settings ?? '', /"skip_second_factor":false/)
  assert.match(rows[1]?.settings ?? '', /"team_map":\{"cn=crew,dc=x"/)
  assert.equal((await auth('delete', '--id', '2')).out, 'removed staff\n')
})

test('serve: prints the first administrator once; a folder has one server', async () => {
  using data = dataFolder()
  {
    await using serving = await serve(data.options)
    const [, password] =
      /Administrator: root\nPassword: (\S+) \(shown once\)\n/.exec(serving.terminal.written.out) ?? []
    assert.ok(password)
    const { json } = await asPerson(serving.url, { basic: { login: 'root', password } }).get('/user')
    assert.equal(json.is_admin, true)

    const second = await run('serve', ...data.options, '--host', '127.0.0.1', '--port', '0', '--ssh-port', '0')
    assert.equal(second.code, 75)
    assert.match(second.err, /the data folder .* is in use by process \d+/)
    assert.equal((await run('doctor', '--fix', '--take-references', ...data.options)).code, 75)

    using other = dataFolder()
    const port = new URL(serving.url).port
    const busy = await run('serve', ...other.options, '--host', '127.0.0.1', '--port', port, '--ssh-port', '0')
    assert.deepEqual([busy.code, busy.out], [1, ''])
    assert.match(busy.err, /port \d+ of 127.0.0.1 is in use/)
    // The password was not shown, so the next start creates the account.
    await serveOnce(other.options)
  }
  await using again = await serve(data.options)
  assert.ok(!again.terminal.written.out.includes('Password'))
})

test('doctor: finds nothing on a healthy instance, and corrects counts while the server runs', async () => {
  using data = dataFolder()
  await serveOnce(data.options)
  await run(
    'admin',
    'user',
    'create',
    ...data.options,
    '--username',
    'ann',
    '--email',
    'ann@example.com',
    '--password',
    'Passw0rd!',
  )
  const healthy = await run('doctor', ...data.options)
  assert.deepEqual([healthy.code, healthy.err], [0, ''])
  assert.equal(healthy.out.match(/^ok /gm)?.length, healthy.out.trim().split('\n').length)

  const database = new SqliteConnection(join(data.path, 'ingot.db'))
  database.exec(`update user set num_repos = 7 where name = 'ann'`)
  database.close()
  const ill = await run('doctor', '--only', 'counters', ...data.options)
  assert.equal(ill.code, 1)
  assert.match(
    ill.out,
    /^not ok counters: .*\n {2}user 2: num_repos is 7 and should be 0 \(can be fixed with --fix\)\n$/,
  )
  await using serving = await serve(data.options)
  const fixed = await run('doctor', '--fix', ...data.options)
  assert.deepEqual([fixed.code, fixed.err, /\(fixed\)/.test(fixed.out)], [0, '', true])
  assert.equal((await asPerson(serving.url, {}).get('/users/ann')).status, 200)
  assert.equal((await run('doctor', ...data.options)).code, 0)

  assert.match((await run('doctor', '--only', 'liver', ...data.options)).err, /liver: this check does not exist/)
  assert.match((await run('doctor', '--list')).out, /^database\t/)
})

test('openapi: prints the description of every operation', async () => {
  using data = dataFolder()
  const described = await run('openapi', ...data.options)
  assert.equal(JSON.parse(described.out).openapi, '3.1.0')
  assert.equal(JSON.parse((await run('openapi', '--swagger', ...data.options)).out).swagger, '2.0')
})

test('serve, doctor: remove permissions of other users from data folder and database', async () => {
  using folder = dataFolder()
  const database = join(folder.path, 'ingot.db')
  const paths = [folder.path, database]
  const modes = () => paths.map((path) => (statSync(path).mode & 0o777).toString(8))
  const umask = process.umask(0)
  try {
    chmodSync(folder.path, 0o755)
    {
      await using serving = await serve(folder.options)
      assert.deepEqual(modes(), ['700', '600'], 'a folder that was made beforehand')
      assert.ok(readdirSync(folder.path).includes('ingot.db-wal'))
      assert.equal(statSync(`${database}-wal`).mode & 0o777, 0o600)
      serving.terminal.stop()
      await serving.ended
    }
    chmodSync(folder.path, 0o755)
    chmodSync(database, 0o644)
    const found = await run('doctor', ...folder.options, '--only', 'private-paths')
    assert.equal(found.code, 1)
    assert.match(found.out, /is open to others \(755\)[\s\S]*ingot\.db is open to others \(644\)/)
    assert.deepEqual(modes(), ['755', '644'], 'looked at alone')
    const fixed = await run('doctor', ...folder.options, '--only', 'private-paths', '--fix')
    assert.deepEqual([fixed.code, modes()], [0, ['700', '600']])
    chmodSync(database, 0o644)
    await using again = await serve(folder.options)
    assert.deepEqual(modes(), ['700', '600'], 'a database that was there')
    again.terminal.stop()
    await again.ended
  } finally {
    process.umask(umask)
  }
})
