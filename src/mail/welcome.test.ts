import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listJobs } from '../jobs/queue.ts'
import { startForge } from '../testing/forge.ts'
import { withMail } from '../testing/mail.ts'

const account = { username: 'newcomer', email: 'new@example.com', password: 'S3cret-Passw0rd!', full_name: 'New <b>' }

test('adminCreateUser: the owner of a new account gets a mail when the administrator asks for it', async () => {
  await withMail(
    () => 0,
    async (forge, caught) => {
      await forge.as('root').must('POST', '/admin/users', { ...account, username: 'quiet', email: 'quiet@example.com' })
      await forge.as('root').must('POST', '/admin/users', { ...account, send_notify: true })
      await forge.settle()
      assert.deepEqual(
        caught.map(({ to }) => to),
        [['new@example.com']],
      )
      const source = caught[0]?.source.replaceAll('=\r\n', '') ?? ''
      assert.match(source, /^Content-Type: multipart\/alternative/m)
      assert.match(source, /^Auto-Submitted: auto-generated\r$/m)
      assert.match(source, /^Subject: Your account at Our <Forge>\r$/m)
      assert.match(source, /Hello New <b>,/)
      assert.match(source, /<p>Hello New &lt;b>,<\/p>/)
      assert.ok(source.includes(`Sign in: ${forge.url}/user/login`))
      assert.equal(source.includes(account.password), false)
    },
  )
})

test('adminCreateUser: a mail is retried while the server is down, and given up after a permanent refusal', async () => {
  let status = 451
  await withMail(
    () => status,
    async (forge, caught) => {
      const { db } = forge.services
      await forge.as('root').must('POST', '/admin/users', { ...account, send_notify: true })
      await forge.settle()
      const [waiting] = await listJobs(db, { state: 'waiting', offset: 0, limit: 10 })
      assert.deepEqual([waiting?.name, waiting?.attempt], ['mailWelcome', 1])
      const kept = JSON.stringify(waiting)
      for (const secret of [account.password, account.email]) assert.equal(kept.includes(secret), false)
      status = 0
      forge.clock.advance(60_000)
      await forge.settle()
      assert.equal(caught.length, 1)

      status = 550
      await forge.as('root').must('POST', '/admin/users', {
        ...account,
        username: 'second',
        email: 'second@example.com',
        send_notify: true,
      })
      await forge.settle()
      const failed = await forge.as('root').get('/admin/jobs?state=failed')
      assert.deepEqual(
        failed.json.map((job: { name: string; attempt: number }) => [job.name, job.attempt]),
        [['mailWelcome', 1]],
      )
      assert.match(String(forge.defects.pop()), /^GiveUp: .*550/, 'and the log tells of it')
    },
  )
})

test('adminCreateUser: the request for a mail has no effect when mail is off', async () => {
  await using forge = await startForge()
  assert.equal((await forge.as('root').post('/admin/users', { ...account, send_notify: true })).status, 201)
  await forge.settle()
  const failed = await forge.as('root').get('/admin/jobs')
  assert.deepEqual(failed.json, [])
})
