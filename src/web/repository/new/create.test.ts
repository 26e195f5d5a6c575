import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Browser } from '../../../testing/browser.ts'
import { startForge } from '../../../testing/forge.ts'

test('createRepositoryPage: guests sign in first, and a template leads to its own form', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const guest = await new Browser(forge).get('/repo/create')
  assert.deepEqual([guest.status, guest.headers.get('location')], [303, '/user/login?redirect_to=%2Frepo%2Fcreate'])
  const repo = await forge.given.repo({ template: true })
  const { id } = (await forge.as('alice').get(repo.api)).json
  const alice = await Browser.of(forge, 'alice')
  const reply = await alice.get(`/repo/create?template_id=${id}`)
  assert.deepEqual([reply.status, reply.headers.get('location')], [303, `/${repo.fullName}/generate`])
})

test('createRepositoryAct: bad values are shown again; the repository has what the form says', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const alice = await Browser.of(forge, 'alice')
  const taken = await forge.given.repo()
  const send = (fields: Record<string, string>) => alice.submit('/repo/create', '/repo/create', fields)
  for (const [fields, status, wrong] of [
    [{ name: 'a b' }, 422, 'name'],
    [{ name: '' }, 422, 'name'],
    [{ name: taken.name, description: 'kept text' }, 409, 'name'],
    [{ name: 'fine', owner: 'nobody' }, 422, 'owner'],
    [{ name: 'fine', auto_init: 'true', gitignores: 'Nothing' }, 422, 'gitignores'],
    [{ name: 'fine', default_branch: 'a..b' }, 422, 'default_branch'],
  ] as const) {
    const reply = await send(fields)
    assert.equal(reply.status, status, JSON.stringify(fields))
    assert.match(reply.text, new RegExp(`id="${wrong}_problem"`), JSON.stringify(fields))
  }
  assert.match((await send({ name: taken.name, description: 'kept text' })).text, /value="kept text"/)

  const made = await send({
    owner: 'alice',
    name: 'made',
    description: 'Made by a form',
    visibility: 'private',
    auto_init: 'true',
    gitignores: 'Node',
    license: 'MIT',
    issue_labels: 'Default',
    default_branch: 'trunk',
    object_format_name: 'sha256',
    template: 'true',
  })
  assert.deepEqual([made.status, made.headers.get('location')], [303, '/alice/made'])
  const { json } = await forge.as('alice').get('/repos/alice/made')
  assert.deepEqual(
    [json.description, json.private, json.template, json.default_branch, json.object_format_name],
    ['Made by a form', true, true, 'trunk', 'sha256'],
  )
  const names = (await forge.as('alice').get('/repos/alice/made/contents')).json.map(
    (each: { name: string }) => each.name,
  )
  assert.deepEqual(names, ['.gitignore', 'LICENSE', 'README.md'])
})

test('createRepositoryAct: for an organization whose team allows it, and for no other', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const alice = forge.as('alice')
  await alice.must('POST', '/orgs', { username: 'acme' })
  const bob = await Browser.of(forge, 'bob')
  assert.doesNotMatch((await bob.get('/repo/create')).text, /<option value="acme"/)
  const refused = await bob.submit('/repo/create', '/repo/create', { owner: 'acme', name: 'one' })
  assert.equal(refused.status, 422)
  const team = (
    await alice.must('POST', '/orgs/acme/teams', {
      name: 'makers',
      can_create_org_repo: true,
      units: ['repo.code'],
      permission: 'write',
    })
  ).json
  await alice.must('PUT', `/teams/${team.id}/members/bob`)
  assert.match((await bob.get('/repo/create')).text, /<option value="acme"/)
  const made = await bob.submit('/repo/create', '/repo/create', { owner: 'acme', name: 'one' })
  assert.deepEqual([made.status, made.headers.get('location')], [303, '/acme/one'])
  assert.equal((await forge.as('bob').get('/repos/acme/one')).json.permissions.admin, true)
})
