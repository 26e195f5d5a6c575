import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { channel } from 'node:diagnostics_channel'
import type { IncomingMessage } from 'node:http'
import { test } from 'node:test'
import { examined } from '../testing/doctor.ts'
import { startForge } from '../testing/forge.ts'
import { until } from '../testing/until.ts'

const fileBytes = 400_000
/** Less than two files, so the second file exceeds the quota and later ones are refused. */
const totalBytes = 600_000

/** More than the server takes from a connection before a handler reads the body, which it does after the first quota check. */
const readBytes = 300_000

/** Waits until the handlers of four uploads read their bodies. */
async function fourAreRead(): Promise<void> {
  const uploading: { readonly socket: IncomingMessage['socket']; readonly from: number }[] = []
  const began = channel('http.server.request.start')
  const note = (message: unknown): void => {
    const { socket } = (message as { readonly request: IncomingMessage }).request
    uploading.push({ socket, from: socket.bytesRead })
  }
  began.subscribe(note)
  try {
    await until(
      () => uploading.filter(({ socket, from }) => socket.bytesRead - from > readBytes).length === 4,
      'the uploads are under way',
    )
  } finally {
    began.unsubscribe(note)
  }
}

/** The contents of four concurrent uploads. Each passes the first quota check before any upload is complete. */
function heldContents(head = '', tail = '') {
  const contents = Array.from({ length: 4 }, () => randomBytes(fileBytes))
  const released = fourAreRead()
  const bodyOf = (content: Buffer) =>
    new ReadableStream<Uint8Array>({
      async start(controller) {
        controller.enqueue(Buffer.concat([Buffer.from(head), content.subarray(0, -1)]))
        await released
        controller.enqueue(Buffer.concat([content.subarray(-1), Buffer.from(tail)]))
        controller.close()
      },
    })
  return contents.map((content) => ({ content, body: bodyOf(content) }))
}

const head = '--b\r\ncontent-disposition: form-data; name="attachment"; filename="a.txt"\r\n\r\n'
const form = { type: 'multipart/form-data; boundary=b', head, tail: '\r\n--b--\r\n' }
const plain = { type: 'application/octet-stream', head: '', tail: '' }

const uploads = {
  'LFS objects': {
    ...plain,
    method: 'PUT',
    path: (content: Buffer, repo: string) =>
      `${repo}.git/info/lfs/objects/${createHash('sha256').update(content).digest('hex')}/${content.length}`,
  },
  'files of an issue': {
    ...form,
    method: 'POST',
    path: (_: Buffer, repo: string) => `api/v1/repos/${repo}/issues/1/assets`,
  },
  'files of a release': {
    ...form,
    method: 'POST',
    path: (_: Buffer, repo: string) => `api/v1/repos/${repo}/releases/${repo.at(-1)}/assets`,
  },
  'files of packages': {
    ...plain,
    method: 'PUT',
    path: (content: Buffer) => `api/packages/alice/generic/a/1/${content.toString('hex', 0, 8)}`,
  },
}

const cases = Object.entries(uploads).flatMap(([what, upload]) =>
  [1, 4].map((repoCount) => ({ what, repoCount, ...upload })),
)

for (const { what, repoCount, type, head, tail, method, path } of cases) {
  test(`${what}: parallel uploads to ${repoCount === 1 ? 'one repository' : 'four repositories'} exceed the quota by at most one upload, and refused ones leave nothing`, async () => {
    const settings = {
      quota: { ENABLED: true },
      'quota.default': { TOTAL: totalBytes },
      server: { LFS_START_SERVER: true },
      attachment: { ALLOWED_TYPES: '*/*' },
      'repository.release': { ALLOWED_TYPES: '*/*' },
    }
    await using forge = await startForge({ settings, users: ['alice'] })
    const alice = forge.as('alice')
    for (let at = 1; at <= repoCount; at++) {
      const repo = await forge.given.repo({ owner: 'alice', name: `files${at}` })
      await alice.must('POST', `${repo.api}/issues`, { title: 'a' })
      await alice.must('POST', `${repo.api}/releases`, { tag_name: 'v1' })
    }
    await forge.settle()
    const { token } = await forge.account('alice')
    const statuses = await Promise.all(
      heldContents(head, tail).map(async ({ content, body }, at) => {
        const headers = {
          authorization: `token ${token}`,
          'content-type': type,
          accept: 'application/vnd.git-lfs+json',
        }
        const init = { method, headers, body, duplex: 'half' } as RequestInit
        const response = await fetch(`${forge.url}/${path(content, `alice/files${1 + (at % repoCount)}`)}`, init)
        await response.arrayBuffer()
        return response.status
      }),
    )
    const refused = statuses.filter((status) => status === 413).length
    assert.deepEqual([refused, statuses.filter((status) => status < 300).length], [2, 2], statuses.join())
    const { blobs } = forge.services
    let stored = 0
    for (const store of [blobs.lfs, blobs.attachments, blobs.packages]) {
      for await (const { key } of store.list('')) stored += (await store.stat(key))?.sizeBytes ?? 0
    }
    assert.equal(stored, 2 * fileBytes)
    assert.deepEqual(await examined(forge.services), [])
  })
}
