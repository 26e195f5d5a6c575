import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startForge } from '../testing/forge.ts'

const part = (head: string, content: string): string =>
  `--b\r\nContent-Disposition: form-data; ${head}\r\n\r\n${content}\r\n`

test('signInSubmit, issueCreateIssueAttachment: a form that ends inside a file is refused, whether the file is taken or passed over', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const issue = await forge.given.issue({ repo: await forge.given.repo({ owner: 'alice' }) })
  const headers = { 'content-type': 'multipart/form-data; boundary=b' }
  for (const raw of [
    part('name="attachment"; filename="a.txt"', 'cut').slice(0, -2),
    part('name="other"; filename="a.txt"', 'cut').slice(0, -2),
    part('name="user_name"', 'alice') + part('name="password"; filename="a.txt"', 'cut').slice(0, -2),
  ]) {
    const guest = await forge.guest.send('POST', '/user/login', undefined, { site: true, headers, raw })
    assert.equal(guest.status, 422, guest.text.slice(0, 200))
    const attached = await forge.as('alice').send('POST', `${issue.api}/assets`, undefined, { headers, raw })
    assert.equal(attached.status, 422, attached.text.slice(0, 200))
  }
  assert.equal((await forge.guest.get('/version')).status, 200)
  assert.deepEqual(forge.defects, [])
})
