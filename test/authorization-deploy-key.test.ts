import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startForge, type Forge } from '../src/testing/forge.ts'
import type { Ended } from '../src/testing/program.ts'
import { SshFolder, sshSettings, type SshKey } from '../src/testing/ssh.ts'
import { addressOf, bodyFor, eachOf, everythingOn } from './authorization-world.ts'

/**
 * A deploy key belongs to one repository. It can fetch from it, push to it when it may write, and get LFS tickets for it. It
 * opens no other repository of the owner, and its tickets are no credentials elsewhere.
 */

const settings = { ...everythingOn, server: { ...everythingOn.server, ...sshSettings.server } }

/** Two private repositories with a wiki each, and deploy keys of the first. */
async function makeWorld(forge: Forge, folder: SshFolder): Promise<{ reads: SshKey; writes: SshKey }> {
  const alice = forge.as('alice')
  for (const name of ['home', 'other']) {
    const repo = await forge.given.repo({ owner: 'alice', name, private: true })
    await alice.must('POST', `${repo.api}/issues`, { title: 'one' })
    await alice.must('POST', `${repo.api}/wiki/new`, { title: 'Home', content_base64: 'eA==' })
  }
  const [reads, writes] = [await folder.newKey(), await folder.newKey()]
  await alice.must('POST', '/repos/alice/home/keys', { title: 'reads', key: reads.content, read_only: true })
  await alice.must('POST', '/repos/alice/home/keys', { title: 'writes', key: writes.content, read_only: false })
  return { reads, writes }
}

const ticketOf = (key: SshKey, fullName: string, operation: string): Promise<Ended> =>
  key.ssh(['git-lfs-authenticate', `${fullName}.git`, operation])

test('a deploy key reaches its repository over SSH and nothing else', async () => {
  await using forge = await startForge({ settings, users: ['alice'] })
  using folder = new SshFolder(forge)
  const { reads, writes } = await makeWorld(forge, folder)
  const succeeds = async (ended: Promise<Ended>) => assert.equal((await ended).code, 0, (await ended).err)
  const fails = async (ended: Promise<Ended>, why: RegExp) => {
    const { code, err } = await ended
    assert.ok(code !== 0, 'it is refused')
    assert.match(err, why)
  }
  await succeeds(reads.git('clone', '-q', reads.url('alice/home'), 'home'))
  const author = ['-c', 'user.name=x', '-c', 'user.email=x@example.com']
  await succeeds(reads.git('-C', 'home', ...author, 'commit', '-q', '--allow-empty', '-m', 'more'))
  const push = (key: SshKey, name: string, ref: string) =>
    key.git('-C', 'home', 'push', '-q', key.url(name), `HEAD:${ref}`)
  await fails(push(reads, 'alice/home', 'refs/heads/topic'), /may not|read/i)
  await fails(push(reads, 'alice/home', 'refs/for/main/topic'), /may not|read|account/i)
  await succeeds(push(writes, 'alice/home', 'refs/heads/topic'))
  // The key acts in the name of the owner (contract, transport).
  await succeeds(push(writes, 'alice/home', 'refs/for/main/topic'))
  const [pull] = (await forge.as('alice').must('GET', '/repos/alice/home/pulls')).json
  assert.equal(pull.user.login, 'alice')
  for (const key of [reads, writes]) {
    for (const name of ['alice/other', 'alice/other.wiki', 'alice/nothing', 'alice/made-by-pushing']) {
      await fails(key.git('clone', '-q', key.url(name), 'gone'), /not found/)
      await fails(push(key, name, 'refs/heads/topic'), /not found/)
      await fails(ticketOf(key, name, 'download'), /not found/)
      await fails(ticketOf(key, name, 'upload'), /not found/)
    }
  }
  await fails(ticketOf(reads, 'alice/home', 'upload'), /./)
  await succeeds(ticketOf(reads, 'alice/home', 'download'))
  assert.equal((await forge.as('alice').get('/repos/alice/made-by-pushing')).status, 404)
})

test('the ticket of a deploy key is a wrong credential for every operation except LFS of its repository', async () => {
  await using forge = await startForge({ settings, users: ['alice'] })
  using folder = new SshFolder(forge)
  const { writes } = await makeWorld(forge, folder)
  const { out, err } = await ticketOf(writes, 'alice/home', 'upload')
  const { header } = JSON.parse(out || `{"header":"${err}"}`) as { header: { Authorization: string } }
  const ask = (authorization: string | undefined, method: string, path: string, body: unknown, isApi: boolean) =>
    forge.guest.send(method, path, body, {
      site: !isApi,
      headers: authorization === undefined ? {} : { authorization },
    })
  const accepted: string[] = []
  let requestCount = 0
  await eachOf(
    forge.services.operations().filter(({ cost }) => cost !== 'waiting'),
    8,
    async (operation) => {
      const { id, base, method, accepts } = operation
      for (const reponame of operation.path.includes('{reponame}') ? ['home', 'other'] : ['home']) {
        if (accepts.includes('lfs') && reponame === 'home') continue
        requestCount += 1
        const path = (base === 'vendor' ? '/api/service/v1' : '') + addressOf(operation, { reponame })
        const body = method === 'GET' ? undefined : bodyFor(operation)
        const { status, text } = await ask(header.Authorization, method, path, body, base === 'api')
        if (status >= 400) continue
        // The answer is public.
        const open = await ask(undefined, method, path, body, base === 'api')
        if (open.status === status && base === 'site') continue
        accepted.push(`${id} ${path}: ${status} ${text.slice(0, 80)}, and ${open.status} to a guest`)
      }
    },
  )
  assert.deepEqual(accepted, [])
  assert.ok(requestCount > 900, `${requestCount} were asked`)
  const objects = '/alice/home.git/info/lfs/objects/batch'
  const type = 'application/vnd.git-lfs+json'
  const { status } = await forge.guest.post(objects, undefined, {
    site: true,
    headers: { authorization: header.Authorization, accept: type, 'content-type': type },
    raw: JSON.stringify({ operation: 'upload', objects: [] }),
  })
  assert.equal(status, 200, 'it is a ticket')
})
