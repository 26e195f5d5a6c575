import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { Unavailable } from '../lib/errors.ts'
import { openS3Blobs } from './s3-blobs.ts'
import { presign } from './s3-presign.ts'
import { withS3, limit, contentOf, keysOf } from './blobs.test-support.ts'

test('an S3 service: a signed URL downloads the blob under a file name', () =>
  withS3(async ({ blobs }) => {
    await blobs.put('a b/ü(1).txt', Readable.from([Buffer.from('hello')]), limit)
    const url = (await blobs.signedUrl?.('a b/ü(1).txt', { expiresSeconds: 60, fileName: 'né "1".txt' })) ?? ''
    const reply = await fetch(url)
    assert.deepEqual([reply.status, await reply.text()], [200, 'hello'])
    assert.equal(reply.headers.get('content-disposition'), `attachment; filename*=UTF-8''n%C3%A9%20%221%22.txt`)
  }))

test('signed URLs: presign returns the signature of the example in the specification', () => {
  const url = presign({
    method: 'GET',
    url: new URL('https://examplebucket.s3.amazonaws.com/test.txt'),
    region: 'us-east-1',
    accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
    secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
    expiresSeconds: 86_400,
    nowMs: Date.UTC(2013, 4, 24),
  })
  assert.equal(
    new URL(url).searchParams.get('X-Amz-Signature'),
    'aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404',
  )
})

test('an S3 service: a signed upload URL accepts one blob', () =>
  withS3(async ({ blobs }) => {
    const signed = await blobs.signedPutUrl?.('new/one', {
      expiresSeconds: 60,
      contentType: 'text/plain',
      sizeBytes: 5,
    })
    assert.ok(signed !== undefined)
    assert.deepEqual(signed.headers, { 'content-length': '5', 'content-type': 'text/plain' })
    const reply = await fetch(signed.url, { method: 'PUT', body: 'hello', headers: { 'content-type': 'text/plain' } })
    assert.equal(reply.status, 200)
    assert.equal(await contentOf(blobs, 'new/one'), 'hello')
  }))

test('an S3 service: multipart uploads of a dead process are aborted', async () => {
  const requests: string[] = []
  const isOld = `<Initiated>2020-01-01T00:00:00.000Z</Initiated>`
  const isNew = `<Initiated>${new Date().toISOString()}</Initiated>`
  const server = createServer((request, response) => {
    const url = request.url ?? ''
    if (request.method === 'DELETE') requests.push(url)
    const isList = request.method === 'GET' && url.includes('uploads')
    const uploads = url.includes('key-marker')
      ? `<Upload><Key>kind/c</Key><UploadId>3</UploadId>${isOld}</Upload>`
      : `<IsTruncated>true</IsTruncated><NextKeyMarker>kind/b</NextKeyMarker><NextUploadIdMarker>2</NextUploadIdMarker>
         <Upload><Key>kind/a</Key><UploadId>1</UploadId>${isOld}</Upload>
         <Upload><Key>kind/b</Key><UploadId>2</UploadId>${isNew}</Upload>`
    response.writeHead(request.method === 'DELETE' ? 204 : 200, { 'content-type': 'application/xml' })
    if (request.method === 'DELETE') response.end()
    else if (isList) response.end(`<ListMultipartUploadsResult>${uploads}</ListMultipartUploadsResult>`)
    else response.end('<ListBucketResult></ListBucketResult>')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const blobs = await openS3Blobs({
    endpoint: `http://127.0.0.1:${port}`,
    region: 'us-east-1',
    bucket: 'forge',
    accessKeyId: 'a',
    secretAccessKey: 'b',
    basePath: 'kind/',
    usePathStyle: true,
    skipTlsVerify: false,
    serveDirect: false,
  })
  try {
    assert.equal('signedUrl' in blobs, false)
    assert.equal(await blobs.uploads.removeAbandoned(Math.floor(Date.now() / 1000) - 3600), 2)
    assert.deepEqual(
      requests.map((url) => url.replace(/[?&]x-id=\w+/, '')),
      ['/forge/kind/a?uploadId=1', '/forge/kind/c?uploadId=3'],
    )
  } finally {
    blobs.close()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
})

// The signer of the service's client library returns the same signature for an unsigned payload.

test('signed URLs: the signature covers the headers', () => {
  const url = presign({
    method: 'PUT',
    url: new URL('http://h:1/forge/kind/new/one'),
    region: 'us-east-1',
    accessKeyId: 'A',
    secretAccessKey: 'B',
    expiresSeconds: 60,
    nowMs: Date.UTC(2013, 4, 24),
    headers: { 'content-length': '5', 'content-type': 'text/plain' },
  })
  const { searchParams } = new URL(url)
  assert.deepEqual(
    [searchParams.get('X-Amz-SignedHeaders'), searchParams.get('X-Amz-Signature')],
    ['content-length;content-type;host', '292f02e6c30d4105f9b280a813ca4b1941b40ae75a8dcc45711a37e0ab720b8d'],
  )
})

test('an S3 service: a blob over the copy limit is copied through this process', () =>
  withS3(async ({ s3 }) => {
    assert.ok(s3 !== undefined)
    const blobs = await openS3Blobs({ ...s3, maxCopyBytes: 3 })
    await blobs.put('from', Readable.from([Buffer.from('hello')]), limit)
    assert.equal(await blobs.move('from', 'to'), true)
    assert.deepEqual(await keysOf(blobs, ''), ['to'])
    assert.equal(await contentOf(blobs, 'to'), 'hello')
    blobs.close()
  }))

test('an S3 service that does not respond is Unavailable; a wrong key is an error for the operator', () =>
  withS3(async ({ s3 }) => {
    assert.ok(s3 !== undefined)
    const absent = await openS3Blobs({ ...s3, endpoint: 'http://127.0.0.1:1' })
    await assert.rejects(absent.stat('a'), Unavailable)
    await assert.rejects(absent.put('a', Readable.from([Buffer.from('x')]), limit), Unavailable)
    absent.close()
    const stranger = await openS3Blobs({ ...s3, accessKeyId: 'NOBODY' })
    await assert.rejects(stranger.put('a', Readable.from([Buffer.from('x')]), limit), { name: 'InvalidAccessKeyId' })
    stranger.close()
  }))
