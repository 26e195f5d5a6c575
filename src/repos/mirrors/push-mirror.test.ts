import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { test } from 'node:test'
import { transaction } from '../../db/database.ts'
import { startForge, type Forge } from '../../testing/forge.ts'
import { base64 } from '../../testing/samples.ts'
import { sshSettings } from '../../testing/ssh.ts'
import { withServer } from '../../testing/server.ts'

const openForge = (more: Record<string, Record<string, string | number | boolean>> = {}) =>
  startForge({ settings: { migrations: { ALLOW_LOCALNETWORKS: true }, ...more } })

/** Creates an empty remote repository. */
async function targetOf(forge: Forge): Promise<{ readonly api: string; readonly remote: Record<string, string> }> {
  await forge.as('bob').must('POST', '/user/repos', { name: 'copy' })
  const { token } = await forge.account('bob')
  return {
    api: '/repos/bob/copy',
    remote: { remote_address: `${forge.url}/bob/copy.git`, remote_username: 'bob', remote_password: token },
  }
}

const namesOf = async (forge: Forge, path: string): Promise<string[]> =>
  ((await forge.as('bob').must('GET', path)).json ?? []).map((each: { name: string }) => each.name).sort()

test('repoPushMirrorSync: branches and tags follow at the remote; the password is never shown', async () => {
  await using forge = await openForge()
  const repo = await forge.given.repo()
  const target = await targetOf(forge)
  const alice = forge.as('alice')
  const mirror = (await alice.must('POST', `${repo.api}/push_mirrors`, { ...target.remote, interval: '8h' })).json
  const row = await forge.services.db.selectFrom('push_mirror').selectAll().executeTakeFirstOrThrow()
  const password = target.remote['remote_password'] as string
  assert.equal(JSON.stringify([mirror, row]).includes(password), false)

  await alice.must('POST', `${repo.api}/branches`, { new_branch_name: 'old' })
  await alice.must('POST', `${repo.api}/tags`, { tag_name: 'v1', message: 'first' })
  await alice.must('POST', `${repo.api}/push_mirrors-sync`)
  assert.deepEqual(await namesOf(forge, `${target.api}/branches`), ['main', 'old'])
  await forge.settle()
  assert.deepEqual(await namesOf(forge, `${target.api}/tags`), ['v1'])

  await alice.must('DELETE', `${repo.api}/branches/old`)
  await alice.must('POST', `${repo.api}/branches`, { new_branch_name: 'old/new' })
  await alice.must('POST', `${repo.api}/push_mirrors-sync`)
  assert.deepEqual(await namesOf(forge, `${target.api}/branches`), ['main', 'old/new'])
  const shown = (await alice.must('GET', `${repo.api}/push_mirrors/${mirror.remote_name}`)).json
  assert.equal(shown.last_error, '')
  assert.notEqual(shown.last_update, '1970-01-01T00:00:00Z')
})

test('repoAddPushMirror: with sync_on_commit code and wiki changes are pushed at once', async () => {
  await using forge = await openForge()
  const repo = await forge.given.repo()
  const target = await targetOf(forge)
  const alice = forge.as('alice')
  const page = (title: string) => ({ title, content_base64: base64(title), message: title })
  await forge.as('bob').must('POST', `${target.api}/wiki/new`, page('Theirs'))
  await alice.must('POST', `${repo.api}/push_mirrors`, { ...target.remote, interval: '0s', sync_on_commit: true })
  await alice.must('POST', `${repo.api}/contents/new.txt`, { content: base64('new') })
  await alice.must('POST', `${repo.api}/wiki/new`, page('Ours'))
  await forge.settle()
  assert.equal((await forge.as('bob').get(`${target.api}/contents/new.txt`)).status, 200)
  const pages = (await forge.as('bob').must('GET', `${target.api}/wiki/pages`)).json
  assert.deepEqual(
    pages.map((each: { title: string }) => each.title),
    ['Ours'],
  )
})

test('update_mirrors: pushes due mirrors, but none of archived repositories or without an interval', async () => {
  await using forge = await openForge()
  const repo = await forge.given.repo()
  const target = await targetOf(forge)
  const alice = forge.as('alice')
  const mirrors = `${repo.api}/push_mirrors`
  await alice.must('POST', mirrors, { ...target.remote, interval: '10m' })
  const runTask = async () => {
    await forge.as('root').must('POST', '/admin/cron/update_mirrors')
    await forge.settle()
  }
  await runTask()
  assert.deepEqual(await namesOf(forge, `${target.api}/branches`), [])
  await alice.must('PATCH', repo.api, { archived: true })
  forge.clock.advance(601_000)
  await runTask()
  assert.deepEqual(await namesOf(forge, `${target.api}/branches`), [])
  await alice.must('PATCH', repo.api, { archived: false })
  await runTask()
  assert.deepEqual(await namesOf(forge, `${target.api}/branches`), ['main'])
})

test('repoPushMirrorSync: an error of the remote is stored without credentials until a push succeeds', async () => {
  await using forge = await openForge()
  const repo = await forge.given.repo()
  const target = await targetOf(forge)
  const alice = forge.as('alice')
  const remote = { ...target.remote, remote_password: 'wrong', interval: '8h' }
  const { remote_name: name } = (await alice.must('POST', `${repo.api}/push_mirrors`, remote)).json
  await alice.must('POST', `${repo.api}/push_mirrors-sync`)
  const shown = (await alice.must('GET', `${repo.api}/push_mirrors/${name}`)).json
  assert.equal(shown.last_error, 'the other server asks for other credentials')
  assert.equal(shown.last_update, '1970-01-01T00:00:00Z')

  // A protected branch at the remote refuses a forced push.
  await alice.must('DELETE', `${repo.api}/push_mirrors/${name}`)
  const second = (await alice.must('POST', `${repo.api}/push_mirrors`, { ...target.remote, interval: '8h' })).json
  await alice.must('POST', `${repo.api}/push_mirrors-sync`)
  await forge.settle()
  await forge.as('bob').must('POST', `${target.api}/branch_protections`, { rule_name: 'main' })
  await alice.must('POST', `${repo.api}/contents/refused.txt`, { content: base64('refused') })
  await alice.must('POST', `${repo.api}/push_mirrors-sync`)
  const refused = (await alice.must('GET', `${repo.api}/push_mirrors/${second.remote_name}`)).json
  assert.match(refused.last_error, /main/)
  assert.equal(refused.last_error.includes(target.remote['remote_password']), false)
})

test('repoPushMirrorSync: a hanging remote times out, and an invalid answer is an error', async () => {
  await using forge = await openForge({ 'git.timeout': { MIRROR: 1 }, ingot: { OUTGOING_TIMEOUT: '3s' } })
  const repo = await forge.given.repo()
  const alice = forge.as('alice')
  const errorWith = async (address: string): Promise<string> => {
    const body = { remote_address: address, interval: '0s' }
    const { remote_name: name } = (await alice.must('POST', `${repo.api}/push_mirrors`, body)).json
    await alice.must('POST', `${repo.api}/push_mirrors-sync`)
    const { last_error: error } = (await alice.must('GET', `${repo.api}/push_mirrors/${name}`)).json
    await alice.must('DELETE', `${repo.api}/push_mirrors/${name}`)
    return error
  }
  await withServer(
    () => undefined,
    async (url) => assert.match(await errorWith(`${url}/a/b.git`), /took too long/),
  )
  await withServer(
    (_, response) => response.end('hello'),
    async (url) => assert.match(await errorWith(`${url}/a/b.git`), /no git repository/),
  )
  // The remote sends a correct advertisement and then nothing.
  const advertisement = '001f# service=git-receive-pack\n0000'
  await withServer(
    (request, response) => {
      response.writeHead(200, { 'content-type': 'application/x-git-receive-pack-advertisement' })
      if (request.headers['user-agent']?.startsWith('git/')) response.write('00')
      else response.end(advertisement)
    },
    async (url) => assert.match(await errorWith(`${url}/a/b.git`), /took too long/),
  )
})

test('repoAddPushMirror: invalid addresses, intervals and bodies are refused', async () => {
  await using forge = await openForge({ migrations: { ALLOW_LOCALNETWORKS: false } })
  const repo = await forge.given.repo()
  const refused = async (body: object): Promise<number> =>
    (await forge.as('alice').post(`${repo.api}/push_mirrors`, { interval: '8h', ...body })).status
  for (const address of ['', 'nonsense', 'file:///etc/passwd', 'ext::sh -c date', 'http://127.0.0.1/a.git', '-u']) {
    assert.equal(await refused({ remote_address: address }), 400, address)
    assert.equal(await refused({ remote_address: address, use_ssh: true }), 400, `${address} over SSH`)
  }
  const pushAddress = 'https://8.8.8.8/a.git'
  for (const interval of ['10s', 'soon', '-1h']) {
    assert.equal(await refused({ remote_address: pushAddress, interval }), 400)
  }
  assert.equal(await refused({ remote_address: pushAddress, use_ssh: true }), 400)
  for (const address of ['ssh://-oProxyCommand=x@8.8.8.8/a', 'ssh://git@8.8.8.8', 'git@-x:a', 'ssh://a:b@8.8.8.8/c']) {
    assert.equal(await refused({ remote_address: address, use_ssh: true }), 400, address)
  }
  assert.equal(await refused({ remote_address: 'git@8.8.8.8:a.git', use_ssh: true, remote_username: 'a' }), 400)
  for (let made = 0; made < 20; made += 1) assert.equal(await refused({ remote_address: pushAddress }), 200)
  assert.equal(await refused({ remote_address: pushAddress }), 422)
})

test('repoAddPushMirror: a push over SSH uses a generated key and pins the host key', async () => {
  await using forge = await openForge(sshSettings)
  const repo = await forge.given.repo()
  await targetOf(forge)
  const alice = forge.as('alice')
  const address = `ssh://git@127.0.0.1:${forge.services.config.server.sshPort}/bob/copy.git`
  const body = { remote_address: address, interval: '8h', use_ssh: true }
  const mirror = (await alice.must('POST', `${repo.api}/push_mirrors`, body)).json
  assert.match(mirror.public_key, /^ssh-ed25519 [A-Za-z0-9+/=]+/)
  const sync = async (): Promise<string> => {
    await alice.must('POST', `${repo.api}/push_mirrors-sync`)
    return (await alice.must('GET', `${repo.api}/push_mirrors/${mirror.remote_name}`)).json.last_error
  }
  assert.match(await sync(), /denied/i)
  await forge
    .as('bob')
    .must('POST', '/repos/bob/copy/keys', { title: 'mirror', key: mirror.public_key, read_only: false })
  assert.equal(await sync(), '')
  assert.deepEqual(await namesOf(forge, '/repos/bob/copy/branches'), ['main'])
  const { db, config } = forge.services
  const row = await db.selectFrom('push_mirror').selectAll().executeTakeFirstOrThrow()
  assert.equal(JSON.stringify(row).includes('PRIVATE KEY'), false)
  assert.match(row.known_hosts, /^127\.0\.0\.1 ssh-/)
  assert.deepEqual(
    (await readdir(config.paths.tmp)).filter((name) => name.startsWith('ssh-')),
    [],
  )
  const other = row.known_hosts.replace(/(AAAA\S{40})(\S{6})/, (_, head: string) => `${head}AAAAAA`)
  await transaction(db, (tx) => tx.updateTable('push_mirror').set({ known_hosts: other }).execute())
  assert.notEqual(await sync(), '')
})

test('repoListPushMirrors, repoGetPushMirrorByRemoteName, repoDeletePushMirror: only administrators of the repository read and delete its mirrors', async () => {
  await using forge = await openForge()
  const [repo, second] = [await forge.given.repo(), await forge.given.repo()]
  await forge.account('bob')
  const body = { remote_address: 'https://8.8.8.8/a.git', interval: '0s' }
  const { remote_name: name } = (await forge.as('alice').must('POST', `${repo.api}/push_mirrors`, body)).json
  await forge.as('alice').must('PUT', `${repo.api}/collaborators/bob`, { permission: 'write' })
  assert.equal((await forge.as('bob').get(`${repo.api}/push_mirrors`)).status, 403)
  assert.equal((await forge.guest.get(`${repo.api}/push_mirrors`)).status, 401)
  assert.equal((await forge.as('alice').get(`${second.api}/push_mirrors/${name}`)).status, 404)
  await forge.as('alice').must('DELETE', `${second.api}/push_mirrors/${name}`)
  assert.equal((await forge.as('alice').get(`${repo.api}/push_mirrors/${name}`)).status, 200)
})

test('repoPushMirrorSync: a target keeps its default branch, and everything else follows a renamed one', async () => {
  await using forge = await openForge()
  const repo = await forge.given.repo()
  const target = await targetOf(forge)
  const alice = forge.as('alice')
  const mirror = (await alice.must('POST', `${repo.api}/push_mirrors`, { ...target.remote, interval: '8h' })).json
  await alice.must('POST', `${repo.api}/branches`, { new_branch_name: 'old' })
  await alice.must('POST', `${repo.api}/push_mirrors-sync`)
  await alice.must('PATCH', `${repo.api}/branches/main`, { name: 'trunk' })
  await alice.must('DELETE', `${repo.api}/branches/old`)
  await alice.must('POST', `${repo.api}/contents/new.txt`, { content: base64('new') })
  await alice.must('POST', `${repo.api}/push_mirrors-sync`)
  await forge.settle()
  assert.deepEqual(await namesOf(forge, `${target.api}/branches`), ['main', 'trunk'])
  assert.equal((await forge.as('bob').get(`${target.api}/contents/new.txt?ref=trunk`)).status, 200)
  const shown = () => alice.must('GET', `${repo.api}/push_mirrors/${mirror.remote_name}`)
  assert.equal((await shown()).json.last_error, '')
  // Another refused deletion is an error, and new branches still arrive.
  await forge.as('bob').must('POST', `${target.api}/branches`, { new_branch_name: 'kept' })
  await forge.as('bob').must('POST', `${target.api}/branch_protections`, { rule_name: 'kept' })
  await alice.must('POST', `${repo.api}/branches`, { new_branch_name: 'late' })
  await alice.must('POST', `${repo.api}/push_mirrors-sync`)
  assert.deepEqual(await namesOf(forge, `${target.api}/branches`), ['kept', 'late', 'main', 'trunk'])
  assert.match((await shown()).json.last_error, /kept/)
})
