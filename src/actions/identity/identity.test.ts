import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import { startForge, type Forge } from '../../testing/forge.ts'
import { commitFiles, TestRunner, workflow, type TestTask } from '../actions.test-support.ts'

const permitted = (permissions: string, on = 'push') => `permissions: ${permissions}\n${workflow(on)}`

async function ask(task: TestTask, query = '', token = task.context.gitea_runtime_token) {
  const url = String(task.context['id_token_request_url'])
  const response = await fetch(`${url}${query}`, { headers: { authorization: `Bearer ${token}` } })
  const text = await response.text()
  return { status: response.status, json: (text.startsWith('{') ? JSON.parse(text) : {}) as { value: string } }
}

/** Verifies a token by OpenID Connect discovery, as another server does. */
async function verify(forge: Forge, token: string, audience: string, issuer = `${forge.url}/api/actions`) {
  const found = (await (await fetch(`${issuer}/.well-known/openid-configuration`)).json()) as { jwks_uri: string }
  const { payload } = await jwtVerify(token, createRemoteJWKSet(new URL(found.jwks_uri)), {
    issuer,
    audience,
    currentDate: new Date(forge.clock.nowMs()),
  })
  return payload
}

test('requestIdentityToken, identityConfiguration, identityKeys: another server verifies the identity of a job', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo({ name: 'built' })
  const runner = await TestRunner.register(forge, `${repo.api}/actions/runners`)
  const sha = await commitFiles(forge, repo.api, {
    '.gitea/workflows/a.yml': permitted('{ id-token: write, contents: read }'),
  })
  const task = await runner.must()
  const { value } = (await ask(task, '&audience=cloud')).json
  const claims = await verify(forge, value, 'cloud')
  assert.deepEqual(
    [claims.sub, claims['sha'], claims['repository'], claims['run_id'], claims['actor'], claims['event_name']],
    ['repo:alice/built:ref:refs/heads/main', sha, 'alice/built', task.context['run_id'], 'alice', 'push'],
  )
  assert.equal((await verify(forge, (await ask(task)).json.value, `${forge.url}/alice`)).aud, `${forge.url}/alice`)
  await assert.rejects(() => verify(forge, value, 'another'))
  assert.equal((await ask(task, '&audience=' + 'x'.repeat(600))).status, 400)
  assert.equal((await ask(task, '', 'none')).status, 401)
  const asJob = forge.as('job', { token: task.context.token })
  assert.equal(
    (await asJob.post(`${repo.api}/issues`, { title: 'x' })).status,
    403,
    'the permission grants no write access here',
  )
  const before = await (await fetch(`${forge.url}/api/actions/.well-known/jwks`)).json()
  forge.clock.advance(91 * 86_400_000)
  const after = (await (await fetch(`${forge.url}/api/actions/.well-known/jwks`)).json()) as { keys: { kid: string }[] }
  assert.deepEqual(
    after.keys.slice(1),
    (before as typeof after).keys,
    'a token of the previous key can still be verified',
  )
  await runner.finish(task)
  assert.equal((await ask(task)).status, 401)
})

test('requestIdentityToken: only jobs with the permission id-token, and none of untrusted runs', async () => {
  await using forge = await startForge({ users: ['bob'] })
  const repo = await forge.given.repo()
  const runner = await TestRunner.register(forge, `${repo.api}/actions/runners`)
  const jobs = `plain: { runs-on: ubuntu-latest, steps: [{ run: x }] }
  some: { runs-on: ubuntu-latest, permissions: { id-token: write }, steps: [{ run: x }] }`
  await commitFiles(forge, repo.api, {
    '.gitea/workflows/a.yml': workflow('push', jobs),
    '.gitea/workflows/p.yml': permitted('write-all', 'pull_request'),
  })
  const [plain, some] = [await runner.must(), await runner.must()]
  assert.equal(plain.context['id_token_request_url'], undefined)
  assert.equal((await ask(some)).status, 200)
  assert.equal((await ask(some, '', plain.context.gitea_runtime_token)).status, 403)
  const fork = (await forge.as('bob').must('POST', `${repo.api}/forks`, { name: 'mine' })).json
  await commitFiles(forge, `/repos/${fork.full_name}`, { b: '1' }, { newBranch: 'topic', as: 'bob' })
  await forge.as('bob').must('POST', `${repo.api}/pulls`, { head: 'bob:topic', base: 'main', title: 'x' })
  await forge.settle()
  const { workflow_runs: runs } = (await forge.as('alice').get(`${repo.api}/actions/runs`)).json
  await forge.as('alice').must('POST', `${repo.api}/actions/runs/${runs.at(-1).id}/approve`)
  const foreign = await runner.must()
  assert.equal(foreign.context['event_name'], 'pull_request')
  assert.equal(foreign.context['id_token_request_url'], undefined)
  const url = `${forge.url}/api/actions/_apis/pipelines/workflows/${String(foreign.context['run_id'])}/idtoken`
  const authorization = `Bearer ${foreign.context.gitea_runtime_token}`
  assert.equal((await fetch(url, { headers: { authorization } })).status, 403)
})
