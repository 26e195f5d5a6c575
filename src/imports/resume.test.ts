import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { contentOf, LfsClient, pointerTo } from '../lfs/lfs.test-support.ts'
import { examined } from '../testing/doctor.ts'
import { startForge } from '../testing/forge.ts'
import { base64 } from '../testing/samples.ts'
import { withServer } from '../testing/server.ts'
import { startProgram } from '../testing/serving-program.ts'
import { until } from '../testing/until.ts'
import { inFrontOf, openForge } from './imports.test-support.ts'

test('repoMigrate: an import resumes after the process is killed and imports nothing twice', async () => {
  await using source = await openForge()
  const repo = await source.given.repo()
  for (const title of ['one', 'two', 'three']) {
    const issue = await source.given.issue({ repo, title })
    await source.as('bob').must('POST', `${issue.api}/comments`, { body: `about ${title}` })
  }
  await source.as('alice').must('POST', `${repo.api}/releases`, { tag_name: 'v1' })
  const { token } = await source.account('alice')
  const folder = mkdtempSync(join(tmpdir(), 'ingot-import-'))
  writeFileSync(
    join(folder, 'app.ini'),
    '[log]\nLEVEL = none\n[cron]\nENABLED = false\n[migrations]\nALLOW_LOCALNETWORKS = true\n',
  )
  let stopsAt: RegExp | undefined
  const held: ServerResponse[] = []
  const listener = inFrontOf(source, ({ url = '' }, response) => {
    if (!stopsAt?.test(url)) return false
    held.push(response)
    return true
  })
  let program = await startProgram(folder)
  try {
    await withServer(listener, async (url) => {
      const stops = [/pulls\?/, /issues.comments\?/]
      ;[stopsAt] = stops
      const begun = await program.root.post(
        '/repos/migrate',
        {
          clone_addr: `${url}/${repo.fullName}.git`,
          auth_token: token,
          service: 'gitea',
          repo_name: 'copy',
          ...{ issues: true, pull_requests: true, releases: true, labels: true },
        },
        { headers: { prefer: 'respond-async' } },
      )
      assert.equal(begun.status, 202, begun.text)
      const path = `/user/imports/${begun.json.id}`
      for (const [index, stop] of stops.entries()) {
        stopsAt = stop
        await until(() => held.length > 0)
        await program.kill()
        for (const response of held.splice(0)) response.destroy()
        stopsAt = stops[index + 1]
        program = await startProgram(folder)
      }
      await until(async () => (await program.root.must('GET', path)).json.state === 'done', 'the import is done')
      const { counts } = (await program.root.must('GET', path)).json
      assert.deepEqual([counts.issues, counts.comments, counts.releases], [3, 3, 1])
      const issues = (await program.root.must('GET', '/repos/root/copy/issues?state=all')).json
      assert.deepEqual(
        issues.map((issue: { number: number; comments: number }) => [issue.number, issue.comments]),
        [
          [3, 1],
          [2, 1],
          [1, 1],
        ],
      )
    })
    await program.kill()
    await using forge = await startForge({ dataFolder: folder })
    await forge.settle()
    assert.deepEqual(await examined(forge.services), [])
    assert.equal((await forge.services.db.selectFrom('repo').select('id').execute()).length, 1)
  } finally {
    await program.kill()
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  }
})

test('repoMigrate: wiki and LFS objects of a plain git server are imported; a missing object is noted', async () => {
  await using source = await openForge()
  await using forge = await openForge()
  const repo = await source.given.repo()
  const alice = source.as('alice')
  const [there, gone] = [contentOf('a large file'), contentOf('nobody has it')]
  await new LfsClient(alice, repo).put(there)
  for (const [name, content] of Object.entries({ 'there.bin': there, 'gone.bin': gone })) {
    await alice.must('POST', `${repo.api}/contents/${name}`, { content: base64(pointerTo(content)) })
  }
  await alice.must('POST', `${repo.api}/wiki/new`, { title: 'Home', content_base64: base64('welcome') })
  await source.settle()
  await forge.account('carol')
  const carol = forge.as('carol')
  const copy = { clone_addr: `${source.url}/${repo.fullName}.git`, repo_name: 'copy', lfs: true, wiki: true }
  const made = await carol.post('/repos/migrate', copy)
  assert.equal(made.status, 201, made.text)
  await forge.settle()
  const media = async (name: string) => (await carol.get(`/repos/carol/copy/media/${name}`)).text
  assert.equal(await media('there.bin'), 'a large file')
  assert.equal(await media('gone.bin'), pointerTo(gone))
  assert.equal((await carol.must('GET', '/repos/carol/copy/wiki/pages')).json.length, 1)
  const [listed] = (await carol.must('GET', '/user/imports')).json
  assert.ok(listed.notes[0].includes(gone.oid), listed.notes[0])
  assert.deepEqual(await examined(forge.services, { only: ['lfs', 'usage', 'counters', 'repositories'] }), [])
})
