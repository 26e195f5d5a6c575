import assert from 'node:assert/strict'
import { request } from 'node:http'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { Type } from 'typebox'
import { anyone } from '../access/requirements.ts'
import { startForge } from '../testing/forge.ts'
import type { ErrorForm } from './error-forms.ts'
import { fileReplies, serveFile } from './file-reply.ts'
import { bytesOf, jsonAs, operation } from './operation.ts'
import { bytes, empty, ok } from './reply.ts'
import { enumeration, pathNumber, pathText } from './schema.ts'
import { NotFound } from '../lib/errors.ts'

/** Refusals in the form of a container registry, with a challenge that names the scope. */
const registryErrors: ErrorForm = {
  render(refusal, { params, site }) {
    const challenge = `Bearer realm="${site.url}v2/token",service="${new URL(site.url).host}",scope="repository:${params['name']}:pull"`
    return {
      contentType: 'application/json',
      body: JSON.stringify({ errors: [{ code: refusal.code.toUpperCase(), message: refusal.message }] }),
      headers: { 'docker-distribution-api-version': 'registry/2.0', 'www-authenticate': challenge },
    }
  },
}

test('operation: the compiler refuses a value that is not a schema', () => {
  const common = { method: 'GET', scope: null, requires: [anyone], run: async () => empty(204) } as const
  const declared = [
    // @ts-expect-error -- 'empty' is meant
    operation({ ...common, path: '/a', reply: { 204: 'emtpy' } }),
    // @ts-expect-error -- Type.String() is meant
    operation({ ...common, path: '/a', query: { q: 'string' }, reply: { 204: 'empty' } }),
    // @ts-expect-error -- a schema is meant
    operation({ ...common, path: '/a', body: 'empty', reply: { 204: 'empty' } }),
    // @ts-expect-error -- pathText is meant
    operation({ ...common, path: '/{a}', params: { a: 'text' }, reply: { 204: 'empty' } }),
  ]
  assert.deepEqual(
    declared.map(({ kind }) => kind),
    Array.from({ length: 4 }, () => 'operation'),
  )
})

const manifestType = 'application/vnd.oci.image.manifest.v1+json'
const shared = { base: 'site', scope: null, requires: [anyone], errors: registryErrors } as const

/** Operations in the form of other protocols, at addresses that the server does not use. */
const routes = {
  manifest: operation({
    ...shared,
    method: 'GET',
    path: '/v9/{name+}/manifests/{reference}',
    cost: 'usual',
    params: { name: pathText, reference: pathText },
    reply: { 200: jsonAs(manifestType, Type.Object({ name: Type.String(), reference: Type.String() })) },
    run: async ({ params }) => ok(params),
  }),
  startUpload: operation({
    ...shared,
    method: 'POST',
    path: '/v9/{name+}/blobs/uploads',
    cost: 'usual',
    params: { name: pathText },
    reply: { 202: 'empty' },
    run: async ({ params }) => empty(202, { location: `/v9/${params.name}/blobs/uploads/1` }),
  }),
  blob: operation({
    ...shared,
    method: 'GET',
    path: '/v9/{name+}/blobs/{digest}',
    cost: 'usual',
    params: { name: pathText, digest: pathText },
    reply: { 200: bytesOf('application/octet-stream') },
    run: async ({ params }) => {
      if (params.digest !== 'sha256:1') throw new NotFound('blob unknown to registry', 'blob_unknown')
      return bytes('application/octet-stream', `${params.name} ${params.digest}`)
    },
  }),
  module: operation({
    ...shared,
    method: 'GET',
    path: '/api/others/{owner}/go/{module+}/@v/{file}.{kind}',
    cost: 'usual',
    params: { owner: pathText, module: pathText, file: pathText, kind: enumeration('info', 'mod', 'zip') },
    reply: { 200: Type.Object({}, { additionalProperties: true }) },
    run: async ({ params }) => ok(params),
  }),
  file: operation({
    ...shared,
    method: 'GET',
    path: '/files/{form}/{name}',
    cost: 'usual',
    params: { form: enumeration('whole', 'stream'), name: pathText },
    reply: fileReplies,
    run: ({ params: { form, name }, call }) => {
      const whole = Buffer.from('content')
      const content = form === 'whole' ? whole : { sizeBytes: whole.length, open: () => Readable.from([whole]) }
      return serveFile(call, { name, content, contentType: 'text/plain' })
    },
  }),
  part: operation({
    ...shared,
    method: 'PUT',
    path: '/parts/{number}',
    cost: 'usual',
    params: { number: pathNumber },
    reply: { 200: Type.Object({ number: Type.Integer() }) },
    run: async ({ params }) => ok({ number: params.number }),
  }),
}

test('other protocols: an unknown address or method is refused in the form of its surface', async () => {
  await using forge = await startForge({ features: [{ routes: [routes] }] })
  const ask = (method: string, path: string) => forge.guest.send(method, path, undefined, { site: true })
  assert.equal((await ask('GET', '/v9/manifests/latest')).status, 404)
  const method = await ask('PUT', '/v9/a/b/manifests/latest')
  assert.deepEqual([method.status, method.headers.get('allow')], [405, 'GET, HEAD'])
  assert.equal((await ask('PUT', '/parts/one')).status, 404)
  assert.equal((await ask('PUT', '/parts/-1')).status, 404)
  assert.equal((await ask('GET', '/api/others/alice/go/example.com/x/@v/v1.0.0.exe')).status, 404)
  const missing = await ask('GET', '/v9/org/app/blobs/sha256:2')
  assert.deepEqual(missing.json, { errors: [{ code: 'BLOB_UNKNOWN', message: 'blob unknown to registry' }] })
  assert.equal(
    missing.headers.get('www-authenticate'),
    `Bearer realm="${forge.url}/v2/token",service="${new URL(forge.url).host}",scope="repository:org/app:pull"`,
  )
})

test('other protocols: addresses may have names of several segments, encoded slashes and a trailing slash', async () => {
  await using forge = await startForge({ features: [{ routes: [routes] }] })
  const ask = (method: string, path: string) => forge.guest.send(method, path, undefined, { site: true })
  const manifest = await ask('GET', '/v9/org/team/app/manifests/latest')
  assert.deepEqual(manifest.json, { name: 'org/team/app', reference: 'latest' })
  assert.equal(manifest.headers.get('content-type'), manifestType)
  assert.deepEqual((await ask('GET', '/v9/a/manifests/b/manifests/c%2Fd')).json, {
    name: 'a/manifests/b',
    reference: 'c/d',
  })
  assert.equal((await ask('HEAD', '/v9/org/app/blobs/sha256:1')).headers.get('content-length'), '16')
  const upload = await ask('POST', '/v9/org/app/blobs/uploads/')
  assert.deepEqual([upload.status, upload.headers.get('location')], [202, '/v9/org/app/blobs/uploads/1'])
  assert.deepEqual((await ask('GET', '/api/others/alice/go/example.com/x/@v/v1.0.0.zip')).json, {
    owner: 'alice',
    module: 'example.com/x',
    file: 'v1.0.0',
    kind: 'zip',
  })
  assert.deepEqual((await ask('PUT', '/parts/7')).json, { number: 7 })
})

test('the header of a file has its name in UTF-8, for buffered and streamed files', async () => {
  await using forge = await startForge({ features: [{ routes: [routes] }] })
  const name = "größe 名+a&b$c'(1)@*.txt"
  // `fetch` and Node decode headers as Latin-1: one character for each byte.
  const headerOf = (form: string): Promise<string> =>
    new Promise((resolve, reject) => {
      request(`${forge.url}/files/${form}/${encodeURIComponent(name)}`, (response) => {
        response.resume()
        resolve(Buffer.from(response.headers['content-disposition'] ?? '', 'latin1').toString('utf8'))
      })
        .on('error', reject)
        .end()
    })
  const expected = `inline; filename="${name}"; filename*=UTF-8''gr%C3%B6%C3%9Fe%20%E5%90%8D+a&b$c%27%281%29%40%2A.txt`
  assert.equal(await headerOf('whole'), expected)
  assert.equal(await headerOf('stream'), expected)
})
