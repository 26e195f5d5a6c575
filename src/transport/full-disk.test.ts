import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Clone } from '../testing/clone.ts'
import { examined } from '../testing/doctor.ts'
import { startForge } from '../testing/forge.ts'
import { base64 } from '../testing/samples.ts'
import { smallDisk } from './small-disk.test-support.ts'
import { upload } from '../testing/upload.ts'
import { until } from '../testing/until.ts'

test('a full disk answers 503 and shows in health, leaves nothing half-done, and work resumes with free space', async (t) => {
  using disk = smallDisk()
  if (!disk) return t.skip('no file system can be mounted here')
  const dataFolder = join(disk.folder, 'data')
  mkdirSync(dataFolder)
  await using forge = await startForge({ dataFolder, users: ['ann'] })
  const repo = await forge.given.repo({ owner: 'ann', name: 'notes' })
  const ann = forge.as('ann')
  const issue = await ann.must('POST', `${repo.api}/issues`, { title: 'first' })
  using clone = await Clone.of(forge, 'ann', 'ann/notes')
  await forge.settle()
  const health = () => forge.guest.get('/api/healthz', { site: true })
  assert.equal((await health()).status, 200)

  disk.fill()
  const answer = await health()
  assert.deepEqual(
    [answer.status, answer.json.code, answer.json.message],
    [503, 'disk_full', 'there is no room on the disk'],
  )
  const text = randomBytes(60_000).toString('base64')
  // The database's log may have free space of its own.
  const refusedAtLast = async (path: string, body: (count: number) => object) => {
    for (let count = 0; count < 400; count++) {
      disk.fill()
      const reply = await ann.post(path, body(count))
      if (reply.status === 503) return reply
      assert.equal(reply.status, 201)
    }
    return assert.fail(`${path} was never refused`)
  }
  const content = base64(randomBytes(200_000).toString('hex'))
  const large = randomBytes(1 << 20)
  const refused = [
    await refusedAtLast(`${repo.api}/issues`, (count) => ({ title: `more ${count}`, body: text })),
    await ann.post(`${repo.api}/contents/big`, { branch: 'main', content }),
    await ann.post('/user/repos', { name: 'another', auto_init: true }),
    await ann.post(
      `${repo.api}/issues/${issue.json.number}/assets`,
      undefined,
      upload('big.txt', large.toString('base64')),
    ),
    await refusedAtLast(`${repo.api}/issues/1/comments`, () => ({ body: text })),
  ]
  assert.deepEqual(
    refused.map(({ status, json }) => `${status} ${json.code}`),
    refused.map(() => '503 disk_full'),
  )
  await clone.commit('big', large)
  const pushed = await clone.git('push', 'origin', 'main')
  assert.notEqual(pushed.code, 0)
  assert.match(pushed.err, /No space left on device|there is no room on the disk/)
  assert.doesNotMatch(pushed.err, new RegExp(disk.folder))
  assert.equal((await ann.get(`${repo.api}/issues/1`)).status, 200)

  disk.free()
  assert.equal((await health()).status, 200)
  await clone.must('push', '-q', 'origin', 'main')
  await ann.must('POST', `${repo.api}/contents/small`, { branch: 'main', content: base64('small') })
  await ann.must('POST', '/user/repos', { name: 'another', auto_init: true })
  await ann.must('POST', `${repo.api}/issues`, { title: 'last' })
  await forge.services.tasks.runNow('remove_git_leftovers')
  // A job whose result could not be written runs again after its lease.
  forge.clock.advance(3_600_000)
  await until(async () => {
    await forge.settle()
    return (await examined(forge.services, { only: ['references'] })).length === 0
  })
  const problems = await examined(forge.services)
  // The program makes its files private, unlike a test.
  assert.deepEqual(
    problems.filter((problem) => !problem.startsWith('private-paths')),
    [],
  )
  // The queue could not be written for a while, as the log says.
  forge.defects.length = 0
})
