import assert from 'node:assert/strict'
import { request, type IncomingHttpHeaders } from 'node:http'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { startForge, type Forge } from '../../testing/forge.ts'

/** Asks without decompressing the answer. */
const ask = (forge: Forge, path: string, headers: Readonly<Record<string, string>>) =>
  new Promise<{ status: number | undefined; headers: IncomingHttpHeaders; bytes: Buffer }>((resolve, reject) => {
    request(forge.url + path, { headers: { accept: 'text/html', ...headers } }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () =>
        resolve({ status: response.statusCode, headers: response.headers, bytes: Buffer.concat(chunks) }),
      )
    })
      .on('error', reject)
      .end()
  })

test('a page that has not changed is not sent again', async () => {
  await using forge = await startForge({ users: ['ada'] })
  const first = await ask(forge, '/ada', {})
  const cookie = String(first.headers['set-cookie']).split(';', 1)[0] ?? ''
  const { headers } = await ask(forge, '/ada', { cookie })
  const etag = headers.etag ?? ''
  assert.match(etag, /^"[\w-]{27}"$/)
  const again = await ask(forge, '/ada', { cookie, 'if-none-match': etag })
  assert.equal(again.status, 304)
  assert.equal(again.bytes.length, 0)
  await forge.as('ada').must('PATCH', '/user/settings', { full_name: 'Ada Lovelace' })
  const changed = await ask(forge, '/ada', { cookie, 'if-none-match': etag })
  assert.equal(changed.status, 200)
  assert.match(changed.bytes.toString(), /Ada Lovelace/)
})

test('a page is compressed for clients that take it', async () => {
  await using forge = await startForge()
  const plain = await ask(forge, '/explore/repos', {})
  assert.equal(plain.headers['content-encoding'], undefined)
  const cookie = String(plain.headers['set-cookie']).split(';', 1)[0] ?? ''
  const page = (await ask(forge, '/explore/repos', { cookie })).bytes.toString()
  const small = await ask(forge, '/explore/repos', { cookie, 'accept-encoding': 'gzip, deflate' })
  assert.equal(small.headers['content-encoding'], 'gzip')
  assert.equal(small.headers.vary, 'Accept-Language, Cookie, Accept-Encoding')
  assert.equal(gunzipSync(small.bytes).toString(), page)
})
