import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commitFiles, runsOf, TestRunner, workflow } from '../../actions/actions.test-support.ts'
import { Browser } from '../../testing/browser.ts'
import { startForge, type Forge } from '../../testing/forge.ts'
import type { GivenRepo } from '../../testing/given.ts'

const dispatched = `name: Deploy <b>
on:
  workflow_dispatch:
    inputs:
      target: { description: Where to, type: choice, options: [test, live], required: true }
      dry: { type: boolean, default: 'true' }
      note: { default: none }
jobs:
  deploy: { runs-on: ubuntu-latest, steps: [{ run: make }] }
`

async function repoWithWorkflows(forge: Forge, more: object = {}): Promise<GivenRepo> {
  const repo = await forge.given.repo({ owner: 'alice', ...more })
  await commitFiles(forge, repo.api, {
    '.forgejo/workflows/tests.yml': workflow('push'),
    '.forgejo/workflows/deploy.yml': dispatched,
  })
  return repo
}

test('actionsPage: lists runs by workflow, status, event, branch and person; hides itself from strangers', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const repo = await repoWithWorkflows(forge, { private: true })
  const at = `/${repo.fullName}/actions`
  const [bob, alice] = [await Browser.of(forge, 'bob'), await Browser.of(forge, 'alice')]
  assert.equal((await bob.get(at)).status, 404)
  assert.equal((await new Browser(forge).get(at)).status, 404)
  const page = await alice.get(at)
  assert.equal(page.status, 200)
  assert.match(page.text, /Deploy &lt;b>|Deploy &lt;b&gt;/)
  assert.match(page.text, new RegExp(`href="${at}/runs/1"`))
  const shows = async (query: string) => (await alice.get(`${at}?${query}`)).text.includes(`${at}/runs/1"`)
  for (const query of [
    'workflow=tests.yml',
    'status=waiting',
    'event=push',
    'branch=main',
    'actor=alice',
    'status=zzz',
  ]) {
    assert.equal(await shows(query), true, query)
  }
  for (const query of [
    'workflow=deploy.yml',
    'status=success',
    'event=schedule',
    'branch=x',
    'actor=bob',
    'actor=nobody',
    'page=2',
  ]) {
    assert.equal(await shows(query), false, query)
  }
})

test('actionsPage: a repository without workflows shows a first one to writers only, and the form has it', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  const alice = await Browser.of(forge, 'alice')
  const { text } = await alice.get(`/${repo.fullName}/actions`)
  assert.match(text, /runs-on: ubuntu-latest/)
  const [, link = ''] = /href="([^"]*\/_new\/[^"]*)"/.exec(text) ?? []
  const form = await alice.get(link.replaceAll('&amp;', '&'))
  assert.match(form.text, /value="\.forgejo\/workflows\/test\.yml"/)
  assert.match(form.text, /<textarea[^>]*name="text"[^>]*>[^<]*runs-on: ubuntu-latest/)
  const guest = await new Browser(forge).get(`/${repo.fullName}/actions`)
  assert.equal(guest.status, 200)
  assert.doesNotMatch(guest.text, /runs-on: ubuntu-latest/)
})

test('startWorkflow: a writer starts a run with typed inputs; readers have no form and are refused', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const repo = await repoWithWorkflows(forge)
  const at = `/${repo.fullName}/actions?workflow=deploy.yml`
  const path = `/${repo.fullName}/actions/workflows/deploy.yml/dispatch`
  const bob = await Browser.of(forge, 'bob')
  const page = await bob.get(at)
  assert.equal(page.status, 200)
  assert.ok(!page.text.includes(path))
  const refused = await bob.post(path, { _csrf: await bob.csrf('/user/settings'), ref: 'main' })
  assert.equal(refused.status, 403)

  const alice = await Browser.of(forge, 'alice')
  const form = (await alice.get(at)).text
  assert.match(form, /<option value="live"/)
  const incomplete = await alice.submit(at, path, { ref: 'main', name: ['', 'target'], value: ['', ''] })
  assert.equal(incomplete.status, 400)
  assert.match(incomplete.text, /<details class="menu end dispatch-menu" open/)
  assert.match(incomplete.text, /id="input_0_problem">Fill in this field\./)
  const unknown = await alice.submit(at, path, {
    ref: 'nowhere',
    name: ['', 'target', 'dry', 'note'],
    value: ['', 'live', 'on', 'kept <text>'],
  })
  assert.equal(unknown.status, 422)
  assert.match(unknown.text, /id="ref_problem">Branch or tag &quot;nowhere&quot; does not exist\./)
  assert.match(unknown.text, /value="nowhere"/)
  assert.match(unknown.text, /value="kept &lt;text(?:>|&gt;)"/)
  assert.match(unknown.text, /<option value="live" selected/)
  const wrong = await alice.submit(at, path, { ref: 'main', name: ['', 'target'], value: ['', 'moon'] })
  assert.equal(wrong.status, 422)
  assert.match(wrong.text, /id="input_0_problem">Choose one of: /)
  const started = await alice.submit(at, path, {
    ref: 'main',
    name: ['', 'target', 'dry', 'note'],
    value: ['', 'live', 'off', 'a,b'],
  })
  assert.deepEqual([started.status, started.headers.get('location')], [303, `/${repo.fullName}/actions/runs/2`])
  const runner = await TestRunner.register(forge, `${repo.api}/actions/runners`)
  await runner.must()
  const { context } = await runner.must()
  const { inputs } = context['event'] as { inputs: object }
  assert.deepEqual(inputs, { target: 'live', dry: 'false', note: 'a,b' })
})

test('switchWorkflow: administrators disable and enable a workflow; writers cannot', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const repo = await repoWithWorkflows(forge)
  await forge.as('alice').must('PUT', `${repo.api}/collaborators/bob`, { permission: 'write' })
  const at = `/${repo.fullName}/actions?workflow=tests.yml`
  const path = (state: string) => `/${repo.fullName}/actions/workflows/tests.yml/${state}`
  const bob = await Browser.of(forge, 'bob')
  assert.ok(!(await bob.get(at)).text.includes(path('disable')))
  assert.equal((await bob.post(path('disable'), { _csrf: await bob.csrf('/user/settings') })).status, 403)
  const alice = await Browser.of(forge, 'alice')
  assert.equal((await alice.submit(at, path('disable'))).status, 303)
  await commitFiles(forge, repo.api, { 'a.txt': 'a' })
  assert.equal((await runsOf(forge, repo.api)).length, 1)
  assert.match((await alice.get(at)).text, /This workflow is disabled/)
  assert.equal((await alice.submit(at, path('enable'))).status, 303)
  await commitFiles(forge, repo.api, { 'b.txt': 'b' })
  assert.equal((await runsOf(forge, repo.api)).length, 2)
})
