import assert from 'node:assert/strict'
import { test } from 'node:test'
import { contentOf, LfsClient, pointerTo } from '../lfs/lfs.test-support.ts'
import { examined } from '../testing/doctor.ts'
import { base64 } from '../testing/samples.ts'
import { withServer } from '../testing/server.ts'
import { inFrontOf, openForge } from './imports.test-support.ts'

test('repoMirrorSync: a mirror follows wiki, LFS objects, tags and releases on request', async () => {
  await using source = await openForge()
  await using forge = await openForge()
  const repo = await source.given.repo({ private: true })
  const alice = source.as('alice')
  const attach = async (id: number, name: string) => {
    const form = new FormData()
    form.append('attachment', new Blob([`bytes of ${name}`]), name)
    assert.equal((await alice.send('POST', `${repo.api}/releases/${id}/assets`, undefined, { raw: form })).status, 201)
  }
  const first = (await alice.must('POST', `${repo.api}/releases`, { tag_name: 'v1', name: 'First' })).json
  await attach(first.id, 'one.txt')
  await alice.must('POST', `${repo.api}/releases`, { tag_name: 'later', name: 'Draft', draft: true })
  await forge.account('bob')
  const bob = forge.as('bob')
  let isAway = false
  const listener = inFrontOf(source, ({ url = '' }, response) => {
    if (!isAway || !/releases/.test(url)) return false
    response.writeHead(500).end()
    return true
  })
  await withServer(listener, async (url) => {
    const items = { wiki: true, lfs: true, releases: true }
    const copy = {
      clone_addr: `${url}/${repo.fullName}.git`,
      auth_token: (await source.account('alice')).token,
      repo_name: 'mirror',
      service: 'gitea',
      mirror: true,
    }
    const refused = await bob.post('/repos/migrate', { ...copy, ...items, issues: true })
    assert.deepEqual([refused.status, refused.json.message], [422, 'a mirror cannot follow issues of another server'])
    const made = await bob.post('/repos/migrate', { ...copy, ...items })
    assert.deepEqual([made.status, made.json.mirror, made.json.mirror_interval], [201, true, '8h0m0s'], made.text)
    const releases = async (): Promise<unknown[]> =>
      (await bob.must('GET', '/repos/bob/mirror/releases')).json.map(
        (release: { tag_name: string; name: string; assets: { name: string }[] }) => [
          release.tag_name,
          release.name,
          release.assets.map((asset) => asset.name),
        ],
      )
    assert.deepEqual(await releases(), [['v1', 'First', ['one.txt']]])

    const large = contentOf('a large file')
    await new LfsClient(alice, repo).put(large)
    await alice.must('POST', `${repo.api}/contents/large.bin`, { content: base64(pointerTo(large)) })
    await alice.must('POST', `${repo.api}/wiki/new`, { title: 'Home', content_base64: base64('welcome') })
    await alice.must('PATCH', `${repo.api}/releases/${first.id}`, { name: 'First of all' })
    await alice.must(
      'DELETE',
      `${repo.api}/releases/${first.id}/assets/${first.assets[0]?.id ?? (await alice.must('GET', `${repo.api}/releases/${first.id}`)).json.assets[0].id}`,
    )
    await attach(first.id, 'two.txt')
    await alice.must('POST', `${repo.api}/releases`, { tag_name: 'v2', name: 'Second' })
    await source.settle()
    const sync = async (): Promise<string> => {
      assert.equal((await bob.post('/repos/bob/mirror/mirror-sync')).status, 200)
      await forge.settle()
      return (await forge.services.db.selectFrom('mirror').select('last_error').executeTakeFirstOrThrow()).last_error
    }
    assert.equal(await sync(), '')
    assert.deepEqual((await releases()).toReversed(), [
      ['v1', 'First of all', ['two.txt']],
      ['v2', 'Second', []],
    ])
    assert.equal((await bob.get('/repos/bob/mirror/media/large.bin')).text, 'a large file')
    const page = async () =>
      Buffer.from((await bob.must('GET', '/repos/bob/mirror/wiki/page/Home')).json.content_base64, 'base64').toString()
    assert.equal(await page(), 'welcome')

    await alice.must('PATCH', `${repo.api}/wiki/page/Home`, { title: 'Home', content_base64: base64('hello') })
    await alice.must('DELETE', `${repo.api}/releases/${first.id}`)
    isAway = true
    assert.match(await sync(), /^releases: /)
    assert.deepEqual([await page(), (await releases()).length], ['hello', 2])
    isAway = false
    assert.equal(await sync(), '')
    assert.deepEqual(await releases(), [['v2', 'Second', []]])
  })
  assert.deepEqual(await examined(forge.services, { only: ['usage', 'counters', 'lfs', 'wikis'] }), [])
  const row = await forge.services.db.selectFrom('mirror').selectAll().executeTakeFirstOrThrow()
  assert.equal(JSON.stringify(row).includes((await source.account('alice')).token), false)
})

test('repoMirrorSync, repoPushMirrorSync: a remote that resolves to an internal address after it was accepted is refused', async () => {
  await using source = await openForge()
  await using forge = await openForge({ migrations: { ALLOW_LOCALNETWORKS: true, BLOCKED_DOMAINS: 'localhost' } })
  const repo = await source.given.repo()
  const { token } = await source.account('alice')
  await forge.account('bob')
  const bob = forge.as('bob')
  const own = await forge.given.repo({ owner: 'bob', name: 'own' })
  await source.as('alice').must('POST', '/user/repos', { name: 'target' })
  /** What of the addresses of the remote leads inward. */
  let inward = /^none of them$/
  const requests: string[] = []
  const inside = inFrontOf(source, ({ url = '' }) => {
    requests.push(url)
    return false
  })
  await withServer(inside, async (insideUrl) => {
    const innerUrl = insideUrl.replace('127.0.0.1', 'localhost')
    const listener = inFrontOf(source, ({ url = '' }, response) => {
      if (!inward.test(url)) return false
      response.writeHead(307, { location: `${innerUrl}${url}` }).end()
      return true
    })
    await withServer(listener, async (url) => {
      await bob.must('POST', '/repos/migrate', {
        clone_addr: `${url}/${repo.fullName}.git`,
        auth_token: token,
        repo_name: 'mirror',
        service: 'gitea',
        mirror: true,
        ...{ wiki: true, lfs: true, releases: true },
      })
      const remote = { remote_username: 'alice', remote_password: token, interval: '0s' }
      const { remote_name: name } = (
        await bob.must('POST', `${own.api}/push_mirrors`, { ...remote, remote_address: `${url}/alice/target.git` })
      ).json
      const pulled = async (): Promise<string> => {
        await bob.must('POST', '/repos/bob/mirror/mirror-sync')
        await forge.settle()
        return (await forge.services.db.selectFrom('mirror').select('last_error').executeTakeFirstOrThrow()).last_error
      }
      const pushed = async (): Promise<string> => {
        await bob.must('POST', `${own.api}/push_mirrors-sync`)
        return (await bob.must('GET', `${own.api}/push_mirrors/${name}`)).json.last_error
      }
      assert.deepEqual([await pulled(), await pushed()], ['', ''])
      await source.as('alice').must('POST', `${repo.api}/branches`, { new_branch_name: 'new' })
      await bob.must('POST', `${own.api}/branches`, { new_branch_name: 'new' })
      await source.as('alice').must('POST', `${repo.api}/releases`, { tag_name: 'v1', name: 'First' })
      for (const [what, where] of [
        ['references of the code', /\.git\/info\/refs/],
        ['packs', /git-(?:upload|receive)-pack$/],
        ['everything', /./],
      ] as const) {
        inward = where
        assert.notEqual(await pulled(), '', `${what}, pulled`)
        assert.notEqual(await pushed(), '', `${what}, pushed`)
      }
      inward = /releases/
      assert.match(await pulled(), /^releases: /)
      const branches = (await bob.must('GET', '/repos/bob/mirror/branches')).json
      assert.deepEqual(
        branches.map((each: { name: string }) => each.name),
        ['main', 'new'],
      )
    })
  })
  assert.deepEqual(requests, [], 'nothing inside was asked')
})
