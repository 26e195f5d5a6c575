import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { digest } from '../packages/packages.test-support.ts'
import { startForge } from '../testing/forge.ts'

test('registries, the runner protocol and git accept media types with spaces', async () => {
  await using forge = await startForge({ settings: { actions: { ENABLED: true } } })
  await forge.given.repo({ owner: 'alice', name: 'home' })
  const alice = forge.as('alice')
  const send = async (method: string, address: string, type: string, raw: string) =>
    (await alice.send(method, address, undefined, { site: true, raw, headers: { 'content-type': type } })).status
  const part = (disposition: string, content: string): string =>
    `--edge\r\ncontent-disposition: form-data; ${disposition}\r\n\r\n${content}\r\n`
  const fields = Object.entries({ ':action': 'file_upload', name: 'tool', version: '1.0' })
    .map(([name, value]) => part(`name="${name}"`, value))
    .join('')
  const form = `${fields}${part('name="content"; filename="tool-1.0.tar.gz"', 'x')}--edge--\r\n`
  const spaced = 'multipart/form-data ; boundary = edge'
  assert.equal(await send('POST', '/api/packages/alice/pypi', spaced, form), 201)

  const yank = '/api/packages/alice/rubygems/api/v1/gems/yank'
  const urlencoded = 'application / x-www-form-urlencoded ; charset = utf-8'
  assert.equal(await send('DELETE', yank, urlencoded, 'gem_name=none&version=1'), 404, 'the form is read')

  const upload = await alice.send('POST', '/v2/alice/image/blobs/uploads/', undefined, { site: true })
  const config = '{}'
  const blob = `${upload.headers.get('location')}?digest=sha256:${digest('sha256', config)}`
  assert.equal(await send('PUT', blob, 'application/octet-stream', config), 201)
  const manifestType = 'application/vnd.oci.image.manifest.v1+json'
  const descriptor = { mediaType: 'application/vnd.oci.image.config.v1+json', size: 2 }
  const manifest = JSON.stringify({
    schemaVersion: 2,
    config: { ...descriptor, digest: `sha256:${digest('sha256', config)}` },
    layers: [],
  })
  const spacedManifest = ` ${manifestType.replace('/', ' / ')} ; charset = utf-8`
  assert.equal(await send('PUT', '/v2/alice/image/manifests/latest', spacedManifest, manifest), 201)

  const ping = await fetch(`${forge.url}/api/actions/ping.v1.PingService/Ping`, {
    method: 'POST',
    headers: { 'content-type': 'application / json ; charset = utf-8' },
    body: '{"data":"you"}',
  })
  assert.deepEqual([ping.status, await ping.json()], [200, { data: 'Hello, you!' }])

  const gitType = 'application/x-git-upload-pack-request ; charset = utf-8'
  assert.equal(await send('POST', '/alice/home.git/git-upload-pack', gitType, '0000'), 200)
  const other = await send('POST', '/alice/home.git/git-upload-pack', 'application/x-git-receive-pack-request', '0000')
  assert.equal(other, 401)
})

test('only contentTypeOf reads the media type of a request', () => {
  const reads = /\bcall\.headers(?:\['content-type'\]|\.contentType)|'content-type': \w+ \} = call\.headers/
  const files = globSync('src/**/*.ts')
    .map((file) => file.split(path.sep).join('/'))
    .filter((file) => !file.endsWith('.test.ts') && reads.test(readFileSync(file, 'utf8')))
  assert.deepEqual(files, [])
})
