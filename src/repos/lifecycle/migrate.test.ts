import assert from 'node:assert/strict'
import { existsSync, readdirSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { test } from 'node:test'
import { startForge, type Forge, type ForgeOptions } from '../../testing/forge.ts'
import { packetLine } from '../../testing/clone.ts'
import { withServer } from '../../testing/server.ts'

const openForge = (migrations: Record<string, string | boolean> = {}, more: ForgeOptions['settings'] = {}) =>
  startForge({ settings: { migrations: { ALLOW_LOCALNETWORKS: true, ...migrations }, ...more } })

/** Returns the number of repositories on disk and in the database. */
async function countRepos(forge: Forge): Promise<[number, number]> {
  const { config, db } = forge.services
  const { repositories } = config.paths
  const files = existsSync(repositories) ? readdirSync(repositories, { recursive: true }) : []
  const rows = await db.selectFrom('repo').select('id').execute()
  return [files.filter((path) => /(?:^|\/)HEAD$/.test(String(path))).length, rows.length]
}

const advertisement = `001e# service=git-upload-pack\n0000${packetLine(`${'1'.repeat(40)} HEAD\0symref=HEAD:refs/heads/main\n`)}${packetLine(`${'1'.repeat(40)} refs/heads/main\n`)}0000`
const advertise: RequestListener = (_request, response) =>
  void response.setHeader('content-type', 'application/x-git-upload-pack-advertisement').end(advertisement)

test('repoMigrate: branches, tags and the default branch are copied; the address is shown without credentials', async () => {
  await using source = await startForge()
  await using forge = await openForge()
  const original = await source.given.repo({ private: true, default_branch: 'trunk' })
  const owner = source.as('alice')
  await owner.must('POST', `${original.api}/branches`, { new_branch_name: 'side/one' })
  await owner.must('POST', `${original.api}/tags`, { tag_name: 'v1' })
  await owner.must('POST', `${original.api}/tags`, { tag_name: 'v2', message: 'second' })

  const url = new URL(await source.gitUrl('alice', original.fullName))
  const reply = await forge.as('bob').post('/repos/migrate', {
    clone_addr: url.href,
    repo_name: 'copy',
    description: 'a copy',
    private: true,
    mirror: false,
  })
  assert.equal(reply.status, 201, reply.text)
  const { default_branch, original_url, description, empty, mirror } = reply.json
  const shown = `${source.url}/${original.fullName}.git`
  assert.deepEqual([default_branch, original_url, description, empty, mirror], ['trunk', shown, 'a copy', false, false])
  const bob = forge.as('bob')
  const names = async (path: string) =>
    (await bob.must('GET', `/repos/bob/copy/${path}`)).json.map((each: { name: string }) => each.name).sort()
  assert.deepEqual(await names('branches'), ['side/one', 'trunk'])
  assert.deepEqual(await names('tags'), ['v1', 'v2'])
  const commitOf = async (from: Forge, name: string, repo: string) =>
    (await from.as(name).must('GET', `/repos/${repo}/branches/trunk`)).json.commit.id
  assert.equal(await commitOf(forge, 'bob', 'bob/copy'), await commitOf(source, 'alice', original.fullName))
  await forge.settle()
  assert.equal((await bob.must('GET', '/repos/bob/copy')).json.default_branch, 'trunk')
  const rows = JSON.stringify(await forge.services.db.selectFrom('repo').selectAll().execute())
  assert.equal(rows.includes((await source.account('alice')).token), false)
})

test('repoMigrate: an empty and a SHA-256 repository keep their form', async () => {
  await using source = await startForge()
  await using forge = await openForge()
  const empty = await source.given.repo({ auto_init: false })
  const modern = await source.given.repo({ object_format_name: 'sha256' })
  const copy = (name: string) => ({ clone_addr: `${source.url}/${name}.git`, repo_name: name.split('/')[1] })
  const first = await forge.as('bob').post('/repos/migrate', copy(empty.fullName))
  assert.deepEqual([first.status, first.json.empty, first.json.default_branch], [201, true, 'main'], first.text)
  const second = await forge.as('bob').post('/repos/migrate', copy(modern.fullName))
  assert.deepEqual([second.status, second.json.object_format_name], [201, 'sha256'], second.text)
})

test('repoMigrate: the caller, an organization or, for administrators, any account owns the copy', async () => {
  await using forge = await openForge()
  const source = await forge.given.repo()
  const body = { clone_addr: `${forge.url}/${source.fullName}.git`, repo_name: 'copy' }
  await forge.account('bob')
  const org = await forge.given.org()
  assert.equal((await forge.guest.post('/repos/migrate', {})).status, 401)
  assert.equal((await forge.as('bob').post('/repos/migrate', { ...body, repo_owner: 'nobody' })).status, 422)
  assert.equal((await forge.as('bob').post('/repos/migrate', { ...body, repo_owner: 'alice' })).status, 403)
  assert.equal((await forge.as('bob').post('/repos/migrate', { ...body, repo_owner: org })).status, 403)
  const made = await forge.as('alice').post('/repos/migrate', { ...body, repo_owner: org })
  assert.deepEqual([made.status, made.json.full_name], [201, `${org}/copy`])
  const { user } = await forge.account('bob')
  const gift = await forge.as('root').post('/repos/migrate', { ...body, uid: user.id })
  assert.deepEqual([gift.status, gift.json.full_name], [201, 'bob/copy'])
  assert.equal((await forge.as('bob').post('/repos/migrate', body)).status, 409)
})

test('repoMigrate: a source that cannot be copied is refused and leaves nothing', async () => {
  await using source = await startForge()
  await using forge = await openForge()
  const shut = await source.given.repo({ private: true })
  const bob = forge.as('bob')
  for (const [body, why] of [
    [{ clone_addr: 'nope' }, 'no URL'],
    [{ clone_addr: '/etc' }, 'a folder'],
    [{ clone_addr: 'file:///etc' }, 'a scheme of files'],
    [{ clone_addr: 'ssh://git@localhost/a/b.git' }, 'a scheme whose addresses cannot be pinned'],
    [{ clone_addr: `${source.url}/` }, 'no repository'],
    [{ clone_addr: `${source.url}/${shut.fullName}.git` }, 'no credentials'],
    [{ clone_addr: `${source.url}/${shut.fullName}.git`, auth_username: 'alice', auth_password: 'x' }, 'wrong ones'],
    [{ clone_addr: `${source.url}/alice/nothing.git` }, 'not there'],
    [{ clone_addr: `${source.url}/api/v1/version` }, 'no git'],
    [{ clone_addr: 'http://localhost:1/a/b.git' }, 'nobody listens'],
    [{ clone_addr: `${source.url}/${shut.fullName}.git`, service: 'other' }, 'an unknown service'],
    [{ clone_addr: `${source.url}/${shut.fullName}.git`, service: 'github', issues: true }, 'issues'],
    [{ clone_addr: `${source.url}/${shut.fullName}.git`, lfs: true }, 'LFS'],
  ] as const) {
    const reply = await bob.post('/repos/migrate', { repo_name: 'copy', ...body })
    assert.equal(reply.status, 422, `${why}: ${reply.text}`)
  }
  const token = { auth_token: (await source.account('alice')).token }
  const opened = await bob.post('/repos/migrate', {
    clone_addr: `${source.url}/${shut.fullName}.git`,
    repo_name: 'copy',
    ...token,
  })
  assert.equal(opened.status, 201, 'a token gives access')
  assert.deepEqual(await countRepos(forge), [1, 1])
})

test('repoMigrate: disabled units stay off', async () => {
  await using source = await startForge()
  await using forge = await openForge({}, { packages: { ENABLED: false }, actions: { ENABLED: false } })
  const original = await source.given.repo()
  const { json } = await forge
    .as('bob')
    .must('POST', '/repos/migrate', { clone_addr: `${source.url}/${original.fullName}.git`, repo_name: 'copy' })
  assert.deepEqual([json.has_packages, json.has_actions, json.has_issues], [false, false, true])
})

test('repoMigrate: addresses and redirects must pass [migrations]; while disabled it is 403', async () => {
  await using forge = await startForge()
  const source = await forge.given.repo()
  const body = { clone_addr: `${forge.url}/${source.fullName}.git`, repo_name: 'copy' }
  const local = await forge.as('bob').post('/repos/migrate', body)
  assert.equal(local.status, 422)
  assert.match(local.json.message, /not allowed/)

  await using blocked = await openForge({ BLOCKED_DOMAINS: 'localhost' })
  assert.equal((await blocked.as('bob').post('/repos/migrate', body)).status, 422)
  await withServer(
    (request, response) => void response.writeHead(302, { location: body.clone_addr + request.url?.slice(8) }).end(),
    async (url) => {
      const redirected = await blocked.as('bob').post('/repos/migrate', { ...body, clone_addr: `${url}/a/b.git` })
      assert.equal(redirected.status, 422)
      assert.match(redirected.json.message, /localhost are not allowed/)
    },
  )
  await using off = await openForge({}, { repository: { DISABLE_MIGRATIONS: true } })
  assert.equal((await off.as('bob').post('/repos/migrate', body)).status, 403)
  // A disabled migration resolves no host.
  const elsewhere = { ...body, clone_addr: 'https://192.0.2.1/x.git' }
  assert.equal((await off.as('bob').post('/repos/migrate', elsewhere)).status, 403)
  assert.equal((await off.as('bob').post('/repos/migrate', { ...body, clone_addr: 'nope' })).status, 422)
})

test('repoMigrate: follows redirects to the same repository, such as for names without .git', async () => {
  await using forge = await openForge()
  const source = await forge.given.repo()
  await withServer(
    (request, response) => {
      const rest = request.url?.slice('/short'.length) ?? ''
      response.writeHead(301, { location: `${forge.url}/${source.fullName}.git${rest}` }).end()
    },
    async (url) => {
      const reply = await forge.as('bob').post('/repos/migrate', { clone_addr: `${url}/short`, repo_name: 'copy' })
      assert.deepEqual([reply.status, reply.json.original_url], [201, `${url}/short`], reply.text)
    },
  )
})

test('repoMigrate: a server that aborts, hangs or sends invalid data leaves nothing behind', async () => {
  await using forge = await openForge({}, { 'git.timeout': { MIGRATE: 1 } })
  const bob = forge.as('bob')
  await forge.account('bob')
  const answers: Record<string, RequestListener> = {
    'breaks off': (_request, response) => void response.destroy(),
    'never answers': () => {},
    lies: (_request, response) =>
      void response.setHeader('content-type', 'application/x-git-upload-pack-result').end('0008NAK\nPACKnothing'),
  }
  for (const [how, answer] of Object.entries(answers)) {
    await withServer(
      (request, response) => (request.method === 'GET' ? advertise : answer)(request, response),
      async (url) => {
        const reply = await bob.post('/repos/migrate', { clone_addr: `${url}/a/b.git`, repo_name: 'copy' })
        assert.equal(reply.status, 422, `${how}: ${reply.text}`)
      },
    )
    assert.deepEqual(await countRepos(forge), [0, 0], how)
  }
})

test('repoMigrate: a client that disconnects ends the copy', async () => {
  await using forge = await openForge()
  const { token } = await forge.account('bob')
  const requestArrived = Promise.withResolvers<void>()
  await withServer(
    (request, response) => {
      if (request.method === 'GET') advertise(request, response)
      else requestArrived.resolve()
    },
    async (url) => {
      const leaving = new AbortController()
      const reply = fetch(`${forge.url}/api/v1/repos/migrate`, {
        method: 'POST',
        headers: { authorization: `token ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ clone_addr: `${url}/a/b.git`, repo_name: 'copy' }),
        signal: leaving.signal,
      })
      await requestArrived.promise
      assert.deepEqual(await countRepos(forge), [1, 0])
      leaving.abort()
      await assert.rejects(reply)
      for (let wait = 0; wait < 200 && (await countRepos(forge))[0] > 0; wait++) {
        await new Promise((resolve) => setTimeout(resolve, 25))
      }
      assert.deepEqual(await countRepos(forge), [0, 0])
    },
  )
})

test('repoMigrate: of concurrent requests with one name exactly one succeeds', async () => {
  await using forge = await openForge()
  const source = await forge.given.repo()
  const body = { clone_addr: `${forge.url}/${source.fullName}.git`, repo_name: 'copy' }
  await forge.account('bob')
  const replies = await Promise.all([1, 2, 3].map(() => forge.as('bob').post('/repos/migrate', body)))
  assert.deepEqual(
    replies.map(({ status }) => status).toSorted((a, b) => a - b),
    [201, 409, 409],
  )
  assert.deepEqual(await countRepos(forge), [2, 2])
})
