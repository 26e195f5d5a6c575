import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { examined } from '../../testing/doctor.ts'
import { startForge, testPassword, type Forge } from '../../testing/forge.ts'
import { basicAuthorization } from '../../testing/samples.ts'
import { digest, registryOf } from '../packages.test-support.ts'

/** Sends a content without a declared size, which counts as a large one. */
async function sendUnsized(url: string, method: string, authorization: string, content: string) {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(Buffer.from(content))
      controller.close()
    },
  })
  const reply = await fetch(url, { method, headers: { authorization }, body, duplex: 'half' } as RequestInit)
  assert.equal(reply.status, 201, await reply.text())
}

const kept = async (forge: Forge, content: string): Promise<readonly string[]> => {
  const { md5, sha1, sha512 } = await forge.services.db
    .selectFrom('package_blob')
    .select(['md5', 'sha1', 'sha512'])
    .where('sha256', '=', digest('sha256', content))
    .executeTakeFirstOrThrow()
  return [md5, sha1, sha512]
}

const right = (content: string): readonly string[] => ['md5', 'sha1', 'sha512'].map((name) => digest(name, content))
const none = ['', '', '']

test('genericUpload, listPackageFiles: digests of a large file are computed on the first request and stored', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const alice = basicAuthorization('alice', testPassword)
  const at = (version: string) => `${forge.url}/api/packages/alice/generic/tool/${version}/f`
  await sendUnsized(at('1'), 'PUT', alice, 'large')
  await sendUnsized(at('2'), 'PUT', alice, 'other')
  assert.deepEqual([await kept(forge, 'large'), await kept(forge, 'other')], [none, none])
  const files = () => forge.guest.must('GET', '/packages/alice/generic/tool/1/files')
  const shown = (await Promise.all([files(), files(), files()])).map(({ json }) => json[0])
  for (const file of shown) {
    assert.deepEqual([file.md5, file.sha1, file.sha512], right('large'))
    assert.equal(file.sha256, digest('sha256', 'large'))
  }
  assert.deepEqual([await kept(forge, 'large'), await kept(forge, 'other')], [right('large'), none])
  // The same content in a registry whose format needs the digests.
  const maven = await registryOf(forge.as('alice'), 'alice')('PUT', 'maven/a/b/1/b-1.jar', 'other')
  assert.equal(maven.status, 201, maven.text)
  assert.deepEqual(await kept(forge, 'other'), right('other'))
  assert.equal((await registryOf(forge.guest, 'alice')('GET', 'maven/a/b/1/b-1.jar.md5')).text, digest('md5', 'other'))
  // A small content with a declared size has all digests at once.
  await registryOf(forge.as('alice'), 'alice')('PUT', 'generic/tool/3/f', 'small')
  assert.deepEqual(await kept(forge, 'small'), right('small'))
  assert.deepEqual(await examined(forge.services), [])
})

test('containerBeginUpload, containerGetBlob, containerPutManifest: a large content uploaded by SHA-256 is found by SHA-512', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const headers = { authorization: basicAuthorization('alice', testPassword) }
  const { token } = (await (await fetch(`${forge.url}/v2/token`, { headers })).json()) as { token: string }
  const base = `${forge.url}/v2/alice/app`
  const named = (name: string, content: string) => `${name}:${createHash(name).update(content).digest('hex')}`
  const send = (content: string, name = 'sha256') =>
    sendUnsized(`${base}/blobs/uploads/?digest=${named(name, content)}`, 'POST', `Bearer ${token}`, content)
  await send('layer')
  await send('{}', 'sha512')
  assert.deepEqual(await kept(forge, 'layer'), none)
  assert.deepEqual(await kept(forge, '{}'), ['', '', digest('sha512', '{}')])
  const describe = (content: string) => ({ mediaType: 'x', digest: named('sha512', content), size: content.length })
  const mediaType = 'application/vnd.oci.image.manifest.v1+json'
  const manifest = JSON.stringify({ schemaVersion: 2, mediaType, config: describe('{}'), layers: [describe('layer')] })
  const put = await fetch(`${base}/manifests/latest`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${token}`, 'content-type': mediaType },
    body: manifest,
  })
  assert.equal(put.status, 201, await put.text())
  const got = await fetch(`${base}/blobs/${named('sha512', 'layer')}`, {
    headers: { authorization: `Bearer ${token}` },
  })
  assert.equal(await got.text(), 'layer')
  assert.deepEqual(await kept(forge, 'layer'), right('layer'))
})
