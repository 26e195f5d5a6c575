import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { NamedOperation } from '../http/operation.ts'
import { startForge, type Forge } from '../testing/forge.ts'
import { commitFiles, TestRunner, workflow, type TestTask } from './actions.test-support.ts'
import { cacheCalls } from './caches/caches.test-support.ts'

const stored = 'bytes that only the other run may have'

/** A repository with a running job that has an artifact and a cache entry. */
async function runningJob(forge: Forge, owner: string) {
  const repo = await forge.given.repo({ owner, private: true })
  const runner = await TestRunner.register(forge, `${repo.api}/actions/runners`, ['ubuntu-latest'], { as: owner })
  const file = `permissions: { id-token: write }\n${workflow('push')}`
  await commitFiles(forge, repo.api, { '.gitea/workflows/a.yml': file }, { as: owner })
  const task = await runner.must()
  return { repo, runner, task, run: String(task.context['run_id']) }
}

async function storeArtifact(forge: Forge, task: TestTask): Promise<void> {
  const { call, send } = cacheCalls(forge, task)
  const artifacts = (method: string, body: object) =>
    send(
      'POST',
      `/twirp/github.actions.results.api.v1.ArtifactService/${method}`,
      JSON.stringify({ workflow_run_backend_id: String(task.context['run_id']), name: 'own', ...body }),
      { 'content-type': 'application/json' },
    )
  const { json } = await artifacts('CreateArtifact', { version: 4 })
  assert.equal(
    (await send('PUT', `${json.signedUploadUrl}&comp=appendBlock`, stored, { authorization: '' })).status,
    201,
  )
  assert.equal((await artifacts('FinalizeArtifact', { size: String(stored.length) })).status, 200)
  assert.equal((await artifacts('GetSignedArtifactURL', {})).status, 200)
  assert.equal(await cacheCalls(forge, task).save('own', stored), true)
  assert.equal((await call('GetCacheEntryDownloadURL', { key: 'own', version: 'v' })).json.ok, true)
}

const isOfJob = ({ requires }: NamedOperation): boolean => requires.some(({ codes }) => codes.includes('job'))

test('every address of jobs refuses other credentials, other runs, and a job that has ended', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const [victim, attacker] = [await runningJob(forge, 'alice'), await runningJob(forge, 'bob')]
  await storeArtifact(forge, victim.task)
  const operations = forge.services.operations().filter(isOfJob)
  assert.ok(operations.length >= 15, `${operations.length} addresses`)
  const ofCache = {
    key: 'own',
    version: 'v',
    restore_keys: ['own'],
    keys: ['own'],
    cacheSize: 3,
    size_bytes: '3',
    size: 3,
  }
  const ofArtifact = {
    ...{
      workflow_run_backend_id: victim.run,
      workflow_job_run_backend_id: victim.run,
      name: 'own',
      version: 4,
      size: '3',
    },
    ...{ Name: 'own', Type: 'actions_storage' },
  }
  /** Sends a request about the run of the victim. */
  const send = async ({ id, method, path }: NamedOperation, token: string | undefined) => {
    const at = path
      .replaceAll(/\{run\}/g, victim.run)
      .replaceAll(/\{(?:id|cache|artifact)\w*\}/g, '1')
      .replaceAll(/\{[\w-]+\+?\}/g, 'own')
    const hasBody = method !== 'GET'
    const response = await fetch(`${forge.url}${at}?itemPath=own&artifactName=own&keys=own&version=v`, {
      method,
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(hasBody ? { 'content-type': 'application/json' } : {}),
        ...(method === 'PUT' ? { 'content-range': 'bytes 0-2/3' } : {}),
      },
      ...(hasBody ? { body: JSON.stringify(/Cache/.test(id) ? ofCache : ofArtifact) } : {}),
    })
    return { status: response.status, text: await response.text() }
  }
  const ofJob = (task: TestTask): string => task.context.gitea_runtime_token
  const { token: ofAccount } = await forge.account('alice')
  const wrong: string[] = []
  const judge = async (who: string, token: string | undefined, statuses: readonly number[]) => {
    for (const operation of operations) {
      // oxlint-disable-next-line no-await-in-loop -- each address in turn
      const { status, text } = await send(operation, token)
      // A cache belongs to its repository: the job of the other one acts on entries of its own.
      const isOwnCache = status < 500 && statuses.includes(404) && /Cache/.test(operation.id)
      if (!statuses.includes(status) && !isOwnCache) wrong.push(`${who}: ${operation.id}: ${status}`)
      if (text.includes(stored) || text.includes('"ok":true,"signed_download')) {
        wrong.push(`${who}: ${operation.id}: ${text}`)
      }
    }
  }
  await judge('a guest', undefined, [401])
  await judge('a token of the owner', ofAccount, [401])
  await judge('a wrong token', '0'.repeat(40), [401])
  await judge('a job of another run', ofJob(attacker.task), [400, 403, 404])
  const asAttacker = forge.as('job', { token: attacker.task.context.token })
  for (const path of ['', '/actions/runs', '/actions/artifacts', '/contents', '/issues', '/actions/variables']) {
    assert.equal((await asAttacker.get(victim.repo.api + path)).status, 404, path)
  }
  assert.equal(
    await cacheCalls(forge, victim.task).find(['own']),
    `own ${stored}`,
    'the attacker changed no cache entry of the other repository',
  )
  await attacker.runner.finish(attacker.task)
  await judge('a job that has ended', ofJob(attacker.task), [401])
  assert.deepEqual(wrong, [])
  assert.deepEqual(forge.defects, [])
})
