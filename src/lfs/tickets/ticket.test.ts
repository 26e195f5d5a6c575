import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import type { RepoId } from '../../lib/ids.ts'
import type { Ended } from '../../testing/program.ts'
import { SshFolder, sshSettings, type SshKey } from '../../testing/ssh.ts'
import { contentOf, LfsClient, outcomes, startLfs } from '../lfs.test-support.ts'

const settings = { server: { ...sshSettings.server, LFS_JWT_SECRET: 'a secret of tickets' } }

const ask = (key: SshKey, fullName: string, operation: string): Promise<Ended> =>
  key.ssh(['git-lfs-authenticate', `'${fullName}.git'`, operation])

interface Ticket {
  readonly href: string
  readonly header: { readonly Authorization: string }
  readonly expires_in: number
}

async function ticketOf(key: SshKey, fullName: string, operation: string): Promise<Ticket> {
  const { code, out, err } = await ask(key, fullName, operation)
  assert.equal(code, 0, err)
  return JSON.parse(out) as Ticket
}

test('git-lfs-authenticate: refuses tickets with a reason', async () => {
  await using forge = await startLfs({ settings })
  using folder = new SshFolder(forge)
  const repo = await forge.given.repo({ private: true })
  const repoId = (await forge.as('alice').must('GET', repo.api)).json.id as RepoId
  const [alices, readers, strangers, deploys] = await Promise.all([1, 2, 3, 4].map(() => folder.newKey()))
  await alices!.addTo('alice')
  await readers!.addTo('reader')
  await strangers!.addTo('stranger')
  await deploys!.deployTo(repoId, true)
  await forge.as('alice').must('PUT', `${repo.api}/collaborators/reader`, { permission: 'read' })
  const refused = async (key: SshKey, name: string, operation: string) => {
    const { code, out, err } = await ask(key, name, operation)
    assert.deepEqual([code, out], [1, ''], `${name} ${operation}`)
    return err
  }
  await refused(readers!, repo.fullName, 'upload')
  await refused(deploys!, repo.fullName, 'upload')
  await refused(alices!, repo.fullName, 'guess')
  await refused(alices!, `${repo.fullName}.wiki`, 'download')
  const [hidden, absent] = [
    await refused(strangers!, repo.fullName, 'download'),
    await refused(strangers!, 'alice/nosuch', 'download'),
  ]
  assert.equal(hidden, absent)
  assert.equal((await alices!.ssh(['git-lfs-authenticate'])).code, 1)
  assert.equal((await alices!.ssh(['git-lfs-transfer', repo.fullName, 'download'])).code, 1)
  const ticket = await ticketOf(readers!, repo.fullName, 'download')
  assert.equal(ticket.href, `${forge.url}/${repo.fullName}.git/info/lfs`)
  assert.equal(ticket.expires_in, 86_400)
  await ticketOf(deploys!, repo.fullName, 'download')
})

test('git-lfs-authenticate: a ticket is for one repository and purpose, within the current rights of the key', async () => {
  await using forge = await startLfs({ settings, standAt: Date.now() })
  using folder = new SshFolder(forge)
  const repo = await forge.given.repo({ private: true })
  const other = await forge.given.repo({ private: true })
  const content = contentOf('content')
  await new LfsClient(forge.as('alice'), repo).put(content)
  const key = await folder.newKey()
  const keyId = await key.addTo('bob')
  const share = (permission: string) => forge.as('alice').must('PUT', `${repo.api}/collaborators/bob`, { permission })
  await share('write')
  const [up, down] = await Promise.all(
    ['upload', 'download'].map((operation) => ticketOf(key, repo.fullName, operation)),
  )
  const by = ({ header }: Ticket, where = repo) =>
    new LfsClient(forge.guest, where, { authorization: header.Authorization })
  assert.deepEqual(outcomes(await by(up!).batch('upload', [contentOf('new')])), ['upload+verify'])
  assert.equal((await by(up!).send('POST', 'locks', { path: 'a' })).status, 201)
  assert.equal((await by(down!).send('POST', 'locks', { path: 'b' })).status, 401)
  assert.equal((await by(down!).put(contentOf('new'))).status, 401)
  assert.equal((await by(down!).get(content.oid)).text, 'content')
  assert.equal((await by(up!, other).batch('download', [])).status, 401)
  // The API and git refuse the ticket.
  const elsewhere = { headers: { authorization: up!.header.Authorization } }
  assert.equal((await forge.guest.get(repo.api, elsewhere)).status, 401)
  const refs = `/${repo.fullName}.git/info/refs?service=git-upload-pack`
  assert.equal((await forge.guest.get(refs, { site: true, ...elsewhere })).status, 401)
  // The ticket follows the rights of the account.
  await share('read')
  assert.equal((await by(up!).batch('upload', [])).status, 401)
  assert.equal((await by(up!).batch('download', [])).status, 200)
  await forge.as('alice').must('DELETE', `${repo.api}/collaborators/bob`)
  assert.equal((await by(down!).batch('download', [])).status, 401)
  await share('write')
  assert.equal((await by(down!).batch('download', [])).status, 200)
  // The ticket ends with the key and with its time.
  forge.clock.advance(86_399_000)
  assert.equal((await by(down!).batch('download', [])).status, 200)
  forge.clock.advance(1000)
  assert.equal((await by(down!).batch('download', [])).status, 401)
  const last = await ticketOf(key, repo.fullName, 'download')
  await forge.as('bob').must('DELETE', `/user/keys/${keyId}`)
  assert.equal((await by(last).batch('download', [])).status, 401)
})

test('git-lfs-authenticate: the ticket of a key of a repository is the key', async () => {
  await using forge = await startLfs({ settings })
  using folder = new SshFolder(forge)
  const repo = await forge.given.repo({ private: true })
  const open = await forge.given.repo()
  const repoId = (await forge.as('alice').must('GET', repo.api)).json.id as RepoId
  const shared = contentOf('of another repository of the same owner')
  await new LfsClient(forge.as('alice'), open).put(shared)
  const key = await folder.newKey()
  await key.deployTo(repoId, false)
  const { header } = await ticketOf(key, repo.fullName, 'upload')
  const client = new LfsClient(forge.guest, repo, { authorization: header.Authorization })
  // The owner could read it there; the deploy key cannot.
  assert.deepEqual(outcomes(await client.batch('upload', [shared])), ['upload+verify'])
  assert.equal((await client.put(shared)).status, 200)
  const [{ id }] = (await forge.as('alice').must('GET', `${repo.api}/keys`)).json
  await forge.as('alice').must('DELETE', `${repo.api}/keys/${id}`)
  assert.equal((await client.batch('download', [])).status, 401)
})

test('lfsBatch: modified and forged tickets are refused', async () => {
  await using forge = await startLfs({ settings })
  using folder = new SshFolder(forge)
  const repo = await forge.given.repo({ private: true })
  const key = await folder.newKey()
  await key.addTo('alice')
  const [, text = ''] = (await ticketOf(key, repo.fullName, 'download')).header.Authorization.split(' ')
  const [header = '', body = '', signature = ''] = text.split('.')
  const claims = JSON.parse(Buffer.from(body, 'base64url').toString())
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const sign = (signed: string, secret: string) =>
    `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`
  const forged = [
    `${header}.${encode({ ...claims, op: 'upload' })}.${signature}`,
    `${encode({ alg: 'none', typ: 'JWT' })}.${body}.`,
    sign(`${encode({ alg: 'HS512', typ: 'JWT' })}.${body}`, settings.server.LFS_JWT_SECRET),
    sign(`${header}.${encode({ ...claims, exp: claims.exp + 1e6 })}`, 'another secret'),
    `${header}.${body}.${signature}.x`,
    `${header}.${body}`,
    'x'.repeat(3000),
  ]
  const statusOf = async (token: string) =>
    (await new LfsClient(forge.guest, repo, { authorization: `Bearer ${token}` }).batch('download', [])).status
  assert.equal(await statusOf(text), 200)
  for (const token of forged) assert.equal(await statusOf(token), 401, token.slice(0, 80))
})

test('the LFS client over SSH: push and clone with a key alone', async () => {
  await using forge = await startLfs({ settings })
  using folder = new SshFolder(forge)
  const repo = await forge.given.repo({ private: true })
  const key = await folder.newKey()
  await key.addTo('alice')
  const home = join(folder.path, 'home')
  await mkdir(home)
  const git = async (...args: string[]) => {
    const { code, err } = await key.git(
      '-c',
      'filter.lfs.process=git-lfs filter-process',
      '-c',
      'filter.lfs.required=true',
      ...args,
    )
    assert.equal(code, 0, `git ${args.join(' ')}: ${err}`)
  }
  await git('clone', '-q', key.url(repo.fullName), 'a')
  const at = (...path: string[]) => join(folder.path, ...path)
  const bytes = Buffer.from(Array.from({ length: 200_000 }, (_, index) => (index * 31) % 241))
  await writeFile(at('a', '.gitattributes'), '*.bin filter=lfs diff=lfs merge=lfs -text\n')
  await writeFile(at('a', 'one.bin'), bytes)
  await git('-C', 'a', 'add', '.')
  await git('-C', 'a', '-c', 'user.name=A', '-c', 'user.email=a@example.com', 'commit', '-qm', 'One')
  await git('-C', 'a', 'lfs', 'push', '--all', 'origin')
  await git('-C', 'a', 'push', '-q', 'origin', 'HEAD:main')
  await git('clone', '-q', key.url(repo.fullName), 'b')
  assert.equal((await readFile(at('b', 'one.bin'))).equals(bytes), true)
})
