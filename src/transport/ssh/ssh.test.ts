import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { randomBytes } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import ssh2 from 'ssh2'
import { transaction } from '../../db/database.ts'
import { openTestDatabase } from '../../testing/database.ts'
import { examined } from '../../testing/doctor.ts'
import { startForge } from '../../testing/forge.ts'
import { runProgram, type Ended } from '../../testing/program.ts'
import { SshFolder, sshSettings, type SshKey } from '../../testing/ssh.ts'

const startSshForge = (more: Record<string, Record<string, string | number | boolean>> = {}) =>
  startForge({ users: ['alice', 'bob'], settings: { ...sshSettings, ...more } })

const succeeds = (ended: Ended): Ended => {
  assert.equal(ended.code, 0, ended.err)
  return ended
}

/** Commits a file in a clone. */
async function commit(key: SshKey, clone: string, file: string): Promise<void> {
  writeFileSync(join(key.folder.path, clone, file), `${file}\n`)
  succeeds(await key.git('-C', clone, 'add', '.'))
  succeeds(await key.git('-C', clone, 'commit', '-q', '-m', `adds ${file}`))
}

test('ssh: keys of each common type clone with both protocols, and push', async () => {
  await using forge = await startSshForge()
  using folder = new SshFolder(forge)
  const repo = await forge.given.repo({ owner: 'alice', private: true })
  const kinds = [[], ['-t', 'ecdsa'], ['-t', 'ecdsa', '-b', '521'], ['-t', 'rsa', '-b', '3072']]
  for (const [index, kind] of kinds.entries()) {
    const key = await folder.newKey(...kind)
    assert.equal((await key.git('ls-remote', key.url(repo.fullName))).code, 128)
    await key.addTo('alice')
    for (const version of [0, 2]) {
      const clone = `clone${index}-${version}`
      succeeds(await key.git('-c', `protocol.version=${version}`, 'clone', '-q', key.url(repo.fullName), clone))
      await commit(key, clone, `file${index}-${version}`)
      succeeds(await key.git('-C', clone, 'push', '-q', 'origin', 'main'))
    }
  }
  const branch = await forge.as('alice').get(`${repo.api}/branches/main`)
  assert.equal(branch.json.commit.message.trim(), 'adds file3-2')
  const used = await forge.services.db.selectFrom('public_key').select('last_used_unix').execute()
  assert.ok(used.every((row) => row.last_used_unix > 0))
})

test('ssh: callers with access clone and push a wiki', async () => {
  await using forge = await startSshForge()
  using folder = new SshFolder(forge)
  const repo = await forge.given.repo({ owner: 'alice' })
  const [alice, bob] = [await folder.newKey(), await folder.newKey()]
  await alice.addTo('alice')
  await bob.addTo('bob')
  const url = alice.url(`${repo.fullName}.wiki`)
  assert.match((await bob.git('clone', url, 'nothing')).err, /not found/)
  await forge.as('alice').must('POST', `${repo.api}/wiki/new`, { title: 'Home', content_base64: '' })
  succeeds(await bob.git('clone', '-q', url, 'b'))
  await commit(bob, 'b', 'Mine.md')
  assert.match((await bob.git('-C', 'b', 'push', 'origin', 'main')).err, /you may not write the wiki/)
  succeeds(await alice.git('clone', '-q', url, 'a'))
  await commit(alice, 'a', 'Over SSH.md')
  await forge.as('alice').must('PATCH', `${repo.api}/wiki/page/Home`, { content_base64: 'eA==' })
  assert.match((await alice.git('-C', 'a', 'push', 'origin', 'main')).err, /fetch first/, 'an edit was first')
  succeeds(await alice.git('-C', 'a', 'pull', '-q', '--rebase'))
  succeeds(await alice.git('-C', 'a', 'push', '-q', 'origin', 'main'))
  assert.equal((await forge.guest.get(`${repo.api}/wiki/page/Over+SSH`)).status, 200)
  await forge.as('alice').must('PATCH', repo.api, { has_wiki: false })
  await commit(alice, 'a', 'Late.md')
  assert.match((await alice.git('-C', 'a', 'push', 'origin', 'main')).err, /not found/)
})

test('ssh: an account has the same access as over HTTP', async () => {
  await using forge = await startSshForge({ repository: { ENABLE_PUSH_CREATE_USER: true } })
  using folder = new SshFolder(forge)
  const open = await forge.given.repo({ owner: 'alice' })
  const hidden = await forge.given.repo({ owner: 'alice', private: true })
  const [alice, bob] = [await folder.newKey(), await folder.newKey()]
  await alice.addTo('alice')
  await bob.addTo('bob')
  const refused = await bob.git('ls-remote', bob.url(hidden.fullName))
  assert.equal(refused.code, 128)
  assert.match(refused.err, /not found/)
  assert.match((await bob.git('ls-remote', bob.url('alice/nothing'))).err, /not found/)
  succeeds(await bob.git('clone', '-q', bob.url(open.fullName), 'b'))
  await commit(bob, 'b', 'mine')
  const pushed = await bob.git('-C', 'b', 'push', 'origin', 'main')
  assert.notEqual(pushed.code, 0)
  assert.match(pushed.err, /remote: Ingot: permission denied for writing/)
  await forge.as('alice').must('PUT', `${open.api}/collaborators/bob`, { permission: 'write' })
  succeeds(await bob.git('-C', 'b', 'push', '-q', 'origin', 'main:refs/heads/mine'))
  succeeds(await alice.git('clone', '-q', '--depth', '1', alice.url(hidden.fullName), 'a'))
  await forge.as('alice').must('PATCH', hidden.api, { archived: true })
  await commit(alice, 'a', 'late')
  const late = await alice.git('-C', 'a', 'push', 'origin', 'main')
  assert.match(late.err, /Ingot: the repository is archived/)
  succeeds(await alice.git('-C', 'a', 'fetch', '-q'))
  succeeds(await alice.git('-C', 'b', 'push', '-q', alice.url('alice/fresh'), 'main'))
  assert.equal((await forge.as('alice').get('/repos/alice/fresh')).json.empty, false)
})

test('ssh: a disabled account and a removed key are refused', async () => {
  await using forge = await startSshForge()
  using folder = new SshFolder(forge)
  const repo = await forge.given.repo({ owner: 'alice' })
  const key = await folder.newKey()
  await key.addTo('bob')
  succeeds(await key.git('ls-remote', key.url(repo.fullName)))
  const { db } = forge.services
  await transaction(db, (tx) =>
    tx.updateTable('user').set({ prohibit_login: true }).where('name', '=', 'bob').execute(),
  )
  assert.match((await key.git('ls-remote', key.url(repo.fullName))).err, /Ingot: this account may not sign in/)
  await transaction(db, (tx) => tx.deleteFrom('public_key').execute())
  assert.match((await key.git('ls-remote', key.url(repo.fullName))).err, /Permission denied \(publickey\)/)
})

test('ssh: an open connection runs no command after its key was removed or its account was suspended', async () => {
  await using forge = await startSshForge()
  using folder = new SshFolder(forge)
  const repo = await forge.given.repo({ owner: 'alice', files: { a: 'a' } })
  for (const login of ['alice', 'bob']) {
    const key = await folder.newKey()
    const { json } = await forge.as(login).must('POST', '/user/keys', { title: 'key', key: key.content })
    const client = new ssh2.Client()
    const port = forge.services.config.server.sshPort
    client.connect({ host: '127.0.0.1', port, username: 'git', privateKey: readFileSync(key.file) })
    await once(client, 'ready')
    const run = async (): Promise<number> => {
      const { promise, resolve, reject } = Promise.withResolvers<number>()
      client.exec(`git-upload-pack '${repo.fullName}.git'`, (error, channel) => {
        if (error) return reject(error)
        channel.on('exit', (code: number) => resolve(code))
        channel.resume()
        channel.stderr.resume()
        channel.end('0000')
      })
      return promise
    }
    assert.equal(await run(), 0, login)
    if (login === 'alice') await forge.as('alice').must('DELETE', `/user/keys/${json.id}`)
    else {
      await forge
        .as('root')
        .must('PATCH', '/admin/users/bob', { prohibit_login: true, source_id: 0, login_name: 'bob' })
    }
    assert.notEqual(await run(), 0, login)
    client.end()
    await once(client, 'close')
  }
})

test('ssh: a deploy key reaches only its repository, and writes only when allowed', async () => {
  await using forge = await startSshForge()
  using folder = new SshFolder(forge)
  const [repo, other] = [await forge.given.repo({ owner: 'alice', private: true }), await forge.given.repo()]
  const { id } = (await forge.as('alice').get(repo.api)).json
  const [reads, writes] = [await folder.newKey(), await folder.newKey()]
  await reads.deployTo(id, true)
  assert.match((await reads.git('ls-remote', reads.url(other.fullName))).err, /not authorised to read/)
  succeeds(await reads.git('clone', '-q', reads.url(repo.fullName), 'r'))
  await commit(reads, 'r', 'mine')
  assert.match((await reads.git('-C', 'r', 'push', 'origin', 'main')).err, /not authorised to write/)
  await transaction(forge.services.db, (tx) => tx.deleteFrom('deploy_key').execute())
  await writes.deployTo(id, false)
  succeeds(await writes.git('-C', 'r', 'push', '-q', 'origin', 'main'))
  const protection = {
    rule_name: 'main',
    enable_push: true,
    enable_push_whitelist: true,
    push_whitelist_usernames: ['alice'],
  }
  await forge.as('alice').must('POST', `${repo.api}/branch_protections`, protection)
  await commit(writes, 'r', 'more')
  assert.notEqual((await writes.git('-C', 'r', 'push', 'origin', 'main')).code, 0)
  await forge.as('alice').must('PATCH', `${repo.api}/branch_protections/main`, {
    enable_push: true,
    enable_push_whitelist: true,
    push_whitelist_deploy_keys: true,
  })
  succeeds(await writes.git('-C', 'r', 'push', '-q', 'origin', 'main'))
})

test('ssh: a shell gets a greeting; other commands and user names are refused; archives work', async () => {
  await using forge = await startSshForge()
  using folder = new SshFolder(forge)
  const repo = await forge.given.repo({ owner: 'alice' })
  const key = await folder.newKey()
  await key.addTo('alice')
  const greeting = succeeds(await key.ssh([]))
  assert.match(greeting.out, /alice.*successfully authenticated/)
  for (const command of [
    'ls',
    'cat /etc/passwd',
    `git-shell '${repo.fullName}'`,
    'git-upload-pack',
    "git-upload-pack 'a/b' x",
  ]) {
    const ended = await key.ssh([command])
    assert.deepEqual([ended.code, ended.out], [1, ''], command)
    assert.match(ended.err, /^Ingot: the command .* is not offered$/m)
  }
  assert.equal((await key.ssh([], { user: 'root' })).code, 255)
  assert.equal((await key.ssh(['-N', '-L', '127.0.0.1:0:127.0.0.1:22', 'x'])).code !== 0, true)
  const archive = join(folder.path, 'archive.tar')
  succeeds(await key.git('archive', `--remote=${key.url(repo.fullName)}`, '-o', archive, 'main'))
  assert.match((await runProgram('tar', ['tf', archive])).out, /README\.md/)
})

test('ssh: former names lead to renamed repositories', async () => {
  await using forge = await startSshForge()
  using folder = new SshFolder(forge)
  const repo = await forge.given.repo({ owner: 'alice', name: 'old' })
  const key = await folder.newKey()
  await key.addTo('alice')
  await forge.as('alice').must('PATCH', repo.api, { name: 'new' })
  assert.match(succeeds(await key.git('ls-remote', key.url('alice/old'))).out, /refs\/heads\/main/)
  assert.match(succeeds(await key.git('ls-remote', key.url('Alice/NEW'))).out, /refs\/heads\/main/)
})

test('ssh: host keys are generated once, readable only by the owner', async () => {
  const settings = {
    ...sshSettings,
    server: { ...sshSettings.server, SSH_SERVER_HOST_KEYS: 'ssh/a.ed25519,ssh/b.ecdsa' },
  }
  using keep = new SshFolder(undefined as never)
  const contents = async (): Promise<string[]> => {
    const forge = await startForge({ dataFolder: join(keep.path, 'data'), settings })
    const { sshHostKeys } = forge.services.config.paths
    await forge[Symbol.asyncDispose]()
    return sshHostKeys.map((path) => {
      assert.equal(statSync(path).mode & 0o777, 0o600)
      return readFileSync(path, 'utf8')
    })
  }
  const first = await contents()
  assert.match(first.join(''), /OPENSSH PRIVATE KEY/)
  assert.deepEqual(await contents(), first)
})

test('ssh: a machine without host keys gets those of the instance, and a key that somebody puts there replaces them', async () => {
  await using database = await openTestDatabase()
  using keep = new SshFolder(undefined as never)
  const name = 'ssh/a.ed25519'
  const settings = {
    server: { ...sshSettings.server, SSH_SERVER_HOST_KEYS: name },
    repository: { STORAGE: 'blobs' },
    storage: { PATH: join(keep.path, 'storage') },
    security: { SECRET_KEY: 'a key of all machines' },
  }
  const keyOn = async (machine: string): Promise<string> => {
    const dataFolder = join(keep.path, machine)
    const forge = await startForge({ dataFolder, settings, database: database.options })
    await forge[Symbol.asyncDispose]()
    return readFileSync(join(dataFolder, name), 'utf8')
  }
  const first = await keyOn('one')
  assert.equal(await keyOn('two'), first)
  const [stored] = await database.db.selectFrom('ssh_host_key').selectAll().execute()
  assert.ok(stored && !stored.sealed.includes(first.split('\n')[2]!), 'it is sealed')
  rmSync(join(keep.path, 'one', name))
  succeeds(await runProgram('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(keep.path, 'one', name)]))
  const second = await keyOn('one')
  assert.notEqual(second, first)
  assert.equal(await keyOn('three'), second)
})

test('ssh: a client waits for a host key under construction; an unwritable folder stops the start', async () => {
  const hostKeys = (path: string) => ({ server: { ...sshSettings.server, SSH_SERVER_HOST_KEYS: path } })
  await using forge = await startSshForge(hostKeys('ssh/slow.rsa'))
  using folder = new SshFolder(forge)
  const key = await folder.newKey()
  await key.addTo('alice')
  assert.match(succeeds(await key.ssh([])).out, /alice.*successfully authenticated/)
  await assert.rejects(startSshForge(hostKeys('/dev/null/a.rsa')), /ENOTDIR/)
})

test('ssh: silent connections are closed, and the number of connections is limited', async () => {
  await using forge = await startSshForge({ ingot: { SSH_AUTH_TIMEOUT: '1s', MAX_SSH_CONNECTIONS: 2 } })
  const port = forge.services.config.server.sshPort
  const began = performance.now()
  const lives = Array.from({ length: 4 }, async () => {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => undefined)
    socket.resume()
    await new Promise((resolve) => socket.once('close', resolve))
    return performance.now() - began
  })
  const sorted = (await Promise.all(lives)).sort((a, b) => a - b)
  assert.ok((sorted[1] as number) < 900, String(sorted))
  assert.ok((sorted[3] as number) < 5000, String(sorted))
})

test('ssh: silent sessions take no place, and requests are answered as they arrive', async () => {
  await using forge = await startSshForge({ ingot: { MAX_GIT_FETCHES: 1, MAX_GIT_PUSHES: 1, MAX_GIT_ARCHIVES: 1 } })
  using folder = new SshFolder(forge)
  const repo = await forge.given.repo({ owner: 'alice' })
  const key = await folder.newKey()
  await key.addTo('alice')
  const services = ['git-upload-pack', 'git-upload-pack', 'git-receive-pack', 'git-receive-pack']
  const silent = services.map((service) => key.start([`${service} '${repo.fullName}.git'`]))
  try {
    for (const each of silent) await each.firstOutput
    const { fetches, pushes } = forge.services.admission.counts()
    assert.deepEqual([fetches.taken, pushes.taken], [0, 0])
    for (const version of [0, 1, 2]) {
      const clone = `clone${version}`
      const git = (...args: string[]) => key.git('-c', `protocol.version=${version}`, ...args)
      succeeds(await git('ls-remote', key.url(repo.fullName)))
      succeeds(await git('clone', '-q', '--depth=1', key.url(repo.fullName), clone))
      succeeds(await git('-C', clone, 'fetch', '-q', '--unshallow'))
      await commit(key, clone, `file${version}`)
      succeeds(await git('-C', clone, 'pull', '-q', '--rebase', 'origin', 'main'))
      succeeds(await git('-C', clone, 'push', '-q', '-o', 'x=y', 'origin', 'main', 'main:topic', 'main:other'))
      succeeds(await git('-C', clone, 'push', '-q', 'origin', 'main'))
      succeeds(await git('-C', clone, 'push', '-q', 'origin', ':topic'))
      succeeds(await git('-C', clone, 'push', '-q', 'origin', ':other'))
    }
    succeeds(await key.git('archive', `--remote=${key.url(repo.fullName)}`, '-o', 'main.tar', 'main'))
    const answered = await forge.as('alice').get(`${repo.api}/commits?sha=main`)
    assert.equal(answered.json[0].commit.message, 'adds file2\n')
  } finally {
    for (const each of silent) each.kill()
  }
})

test('ssh: a large push stays a pack, a small one is unpacked, and a malformed request is refused', async () => {
  await using forge = await startSshForge()
  using folder = new SshFolder(forge)
  const repo = await forge.given.repo({ owner: 'alice' })
  const key = await folder.newKey()
  await key.addTo('alice')
  succeeds(await key.git('clone', '-q', key.url(repo.fullName), 'clone'))
  const packs = async (): Promise<number> =>
    (await readdir(forge.services.config.paths.repositories, { recursive: true })).filter((name) =>
      name.endsWith('.pack'),
    ).length
  const before = await packs()
  await commit(key, 'clone', 'small')
  succeeds(await key.git('-C', 'clone', 'push', '-q', 'origin', 'main'))
  assert.equal(await packs(), before)
  writeFileSync(join(folder.path, 'clone', 'large'), randomBytes(3 << 20))
  await commit(key, 'clone', 'beside')
  succeeds(await key.git('-C', 'clone', 'push', '-q', 'origin', 'main'))
  await forge.settle()
  // The second pack holds the loose objects, packed for the bitmap.
  assert.equal(await packs(), before + 2)
  for (const service of ['git-upload-pack', 'git-receive-pack']) {
    const { code, err } = await key.ssh([`${service} '${repo.fullName}.git'`], { input: 'no packets at all' })
    assert.equal(code, 1)
    assert.match(err, /format of git/)
  }
  const half = await key.ssh([`git-receive-pack '${repo.fullName}.git'`], { input: `0095${'0'.repeat(40)} ` })
  assert.equal(half.code, 0)
  assert.deepEqual(await examined(forge.services), [])
})

test('ssh: a vanishing client ends git, and the server stops while clients are connected', async () => {
  const forge = await startSshForge({ ingot: { MAX_GIT_FETCHES: 1, MAX_GIT_PUSHES: 1 } })
  using folder = new SshFolder(forge)
  const repo = await forge.given.repo({ owner: 'alice' })
  const key = await folder.newKey()
  await key.addTo('alice')
  const waiting = key.start([`git-upload-pack '${repo.fullName}.git'`])
  await waiting.firstOutput
  waiting.kill()
  succeeds(await key.git('ls-remote', key.url(repo.fullName)))
  const staying = key.start([`git-upload-pack '${repo.fullName}.git'`])
  await staying.firstOutput
  const began = performance.now()
  await forge[Symbol.asyncDispose]()
  assert.ok(performance.now() - began < 5000)
  staying.kill()
})

test('ssh: one address may open half of the connections', async () => {
  await using forge = await startSshForge({
    ingot: { MAX_SSH_CONNECTIONS: 4 },
    security: { REVERSE_PROXY_TRUSTED_PROXIES: '192.0.2.1' },
  })
  const open = (from: string) => {
    const socket = connect({ port: forge.services.config.server.sshPort, host: '127.0.0.1', localAddress: from })
    socket.on('error', () => undefined).resume()
    return socket
  }
  const held = [open('127.0.0.2'), open('127.0.0.2')]
  try {
    await Promise.all(held.map((socket) => once(socket, 'connect')))
    await once(open('127.0.0.2'), 'close')
    const other = open('127.0.0.3')
    held.push(other)
    const [greeting] = await once(other, 'data')
    assert.match(String(greeting), /^SSH-2\.0-/)
  } finally {
    for (const socket of held) socket.destroy()
  }
})

test('ssh: the exchange of keys and each attempt to sign in wait for a turn of their address', async () => {
  await using forge = await startSshForge()
  using folder = new SshFolder(forge)
  const { turns } = forge.services.admission
  const addresses: string[] = []
  const tryTake = turns.tryTake.bind(turns)
  turns.tryTake = (claim) => {
    addresses.push(claim.address)
    return tryTake(claim)
  }
  const key = await folder.newKey()
  assert.equal((await key.ssh([])).code, 255)
  // One for the connection, and one each for the method `none` and the key.
  assert.deepEqual(addresses, ['127.0.0.1', '127.0.0.1', '127.0.0.1'])
})
