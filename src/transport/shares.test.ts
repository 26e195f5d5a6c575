import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { Clone, packetLine } from '../testing/clone.ts'
import { startForge, type Forge } from '../testing/forge.ts'
import { until } from '../testing/until.ts'

const mebibyte = 1024 * 1024

/** A client that sends bytes and reads nothing. */
class Lazy implements Disposable {
  readonly #socket: Socket

  /** @param from the client's address; all of 127.0.0.0/8 work */
  constructor(forge: Forge, text: string, from = '127.0.0.1') {
    this.#socket = connect({ port: Number(new URL(forge.url).port), host: '127.0.0.1', localAddress: from })
    this.#socket.on('error', () => undefined)
    this.#socket.pause()
    this.#socket.write(text)
  }

  /** Whether the server has closed the connection; pending data is read then. */
  get isCut(): boolean {
    this.#socket.resume()
    return this.#socket.closed || this.#socket.readableEnded
  }

  [Symbol.dispose](): void {
    this.#socket.destroy()
  }
}

/** A request for a fresh clone over protocol v2. */
function cloneRequest(path: string, tip: string, extra = ''): string {
  const body = `${packetLine('command=fetch')}0001${packetLine('ofs-delta')}${packetLine(`want ${tip}`)}${extra}${packetLine('done')}0000`
  return (
    `POST ${path}.git/git-upload-pack HTTP/1.1\r\nhost: x\r\ngit-protocol: version=2\r\n` +
    `content-type: application/x-git-upload-pack-request\r\ncontent-length: ${body.length}\r\n\r\n${body}`
  )
}

/** Makes a repository with an incompressible file; returns its tip. */
async function withFile(forge: Forge, repository: string, sizeBytes: number): Promise<string> {
  using clone = await Clone.of(forge, 'alice', repository)
  // Random bytes do not become smaller, and trying takes most of the time.
  await clone.must('config', 'core.compression', '0')
  const tip = await clone.commit('random.bin', randomBytes(sizeBytes))
  await clone.must('push', '-q', 'origin', 'main')
  await forge.settle()
  return tip
}

const taken = (forge: Forge) => forge.services.admission.counts()

test('gitUploadPack: guests who start clones and read nothing free their places soon, and delay no other client', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'], settings: { ingot: { MAX_GIT_FETCHES: 4 } } })
  const repo = await forge.given.repo({ owner: 'alice' })
  const tip = await withFile(forge, repo.fullName, 12 * mebibyte)
  const lazy = Array.from({ length: 20 }, (_, each) => {
    // Different depths make different clones.
    return new Lazy(forge, cloneRequest(`/${repo.fullName}`, tip, packetLine(`deepen ${100 + each}`)), '127.0.0.2')
  })
  try {
    await until(() => taken(forge).fetches.waiting > 0)
    assert.equal(taken(forge).fetches.taken, 1, 'guests share a quarter')
    // Another user and another guest find a place at once while these clients wait.
    for (const url of [await forge.gitUrl('bob', repo.fullName), `${forge.url}/${repo.fullName}.git`]) {
      using clone = await Clone.begin('bob')
      await clone.must('fetch', '-q', '--depth=99', url, 'main')
    }
    assert.ok(taken(forge).fetches.waiting > 0, 'the clients wait in the queue')
    // Unread output is spooled, so that git ends for each of them in turn.
    await until(() => forge.services.admission.spool.heldBytes > 3 * 8 * mebibyte)
  } finally {
    for (const each of lazy) each[Symbol.dispose]()
  }
  await until(() => taken(forge).fetches.taken + taken(forge).fetches.waiting === 0)
  await until(() => forge.services.admission.spool.heldBytes === 0)
})

test('gitUploadPack: a slow client gets its whole clone from disk', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  const tip = await withFile(forge, repo.fullName, 8 * mebibyte)
  const body = `${packetLine('command=fetch')}0001${packetLine('ofs-delta')}${packetLine(`want ${tip}`)}${packetLine('done')}0000`
  const reply = await fetch(`${forge.url}/${repo.fullName}.git/git-upload-pack`, {
    method: 'POST',
    headers: { 'git-protocol': 'version=2', 'content-type': 'application/x-git-upload-pack-request' },
    body,
  })
  // git has ended before anything was read.
  await until(() => forge.services.admission.spool.heldBytes > 0 && taken(forge).fetches.taken === 0)
  const quick = await fetch(`${forge.url}/${repo.fullName}.git/git-upload-pack`, {
    method: 'POST',
    headers: { 'git-protocol': 'version=2', 'content-type': 'application/x-git-upload-pack-request' },
    body,
  })
  const packOf = (bytes: Buffer): Buffer => bytes.subarray(bytes.indexOf('packfile\n') + 9)
  const [slowBytes, quickBytes] = [Buffer.from(await reply.arrayBuffer()), Buffer.from(await quick.arrayBuffer())]
  assert.ok(slowBytes.length > 8 * mebibyte)
  assert.deepEqual(lengthOfData(packOf(slowBytes)), lengthOfData(packOf(quickBytes)))
  await until(() => forge.services.admission.spool.heldBytes === 0)
})

/** Bytes of the pack in side-band packets, and whether they end properly. */
function lengthOfData(bytes: Buffer): { readonly data: number; readonly isWhole: boolean } {
  let [data, offset] = [0, 0]
  for (;;) {
    const length = Number.parseInt(bytes.toString('latin1', offset, offset + 4), 16)
    if (length === 0) return { data, isWhole: offset + 4 === bytes.length }
    if (!(length > 4)) return { data, isWhole: false }
    if (bytes[offset + 4] === 1) data += length - 5
    offset += length
  }
}

test('gitReceivePack, gitUploadPack: unfinished requests take no place', async () => {
  await using forge = await startForge({
    users: ['alice', 'bob'],
    settings: { ingot: { MAX_GIT_FETCHES: 4, MAX_GIT_PUSHES: 4 } },
  })
  const repo = await forge.given.repo({ owner: 'alice' })
  const { token } = await forge.account('bob')
  await forge.as('alice').must('PUT', `${repo.api}/collaborators/bob`, { permission: 'write' })
  const begun = (service: string) =>
    new Lazy(
      forge,
      `POST /${repo.fullName}.git/git-${service} HTTP/1.1\r\nhost: x\r\nauthorization: token ${token}\r\n` +
        `content-type: application/x-git-${service}-request\r\ncontent-length: 1000\r\n\r\n0095`,
    )
  const lazy = [
    ...Array.from({ length: 60 }, () => begun('receive-pack')),
    ...Array.from({ length: 60 }, () => begun('upload-pack')),
  ]
  try {
    await until(() => forge.services.admission.requests.underWay === 120)
    assert.deepEqual(taken(forge).pushes, { taken: 0, waiting: 0 })
    assert.deepEqual(taken(forge).fetches, { taken: 0, waiting: 0 })
    for (const name of ['alice', 'bob']) {
      using clone = await Clone.of(forge, name, repo.fullName)
      await clone.commit(`${name}.txt`)
      await clone.must('push', '-q', 'origin', 'main')
    }
  } finally {
    for (const each of lazy) each[Symbol.dispose]()
  }
})

test('gitUploadPack: without a free place git gets an error and a retry time', async () => {
  await using forge = await startForge({
    users: ['alice', 'bob'],
    settings: { ingot: { MAX_GIT_FETCHES: 1, MAX_PLACE_WAIT: '100ms' } },
  })
  const repo = await forge.given.repo({ owner: 'alice' })
  const claim = { viewer: undefined, isAdmin: false, address: '192.0.2.1', repository: undefined }
  const release = await forge.services.admission.fetches.take(claim)
  const tip = (await forge.guest.get(`${repo.api}/commits`)).json[0].sha
  const body = `${packetLine('command=fetch')}0001${packetLine(`want ${tip}`)}${packetLine('done')}0000`
  const fetchPack = () =>
    fetch(`${forge.url}/${repo.fullName}.git/git-upload-pack`, {
      method: 'POST',
      headers: { 'git-protocol': 'version=2', 'content-type': 'application/x-git-upload-pack-request' },
      body,
    })
  const refused = await fetchPack()
  assert.deepEqual([refused.status, refused.headers.get('retry-after')], [503, '1'])
  using clone = await Clone.begin('alice')
  const fetched = await clone.git('fetch', '-q', `${forge.url}/${repo.fullName}.git`)
  assert.match(fetched.err, /503/)
  assert.equal((await forge.guest.get('/version')).status, 200)
  release()
  assert.equal((await fetchPack()).status, 200)
})

test('webRawFile: guests who start large downloads and read nothing leave places for others', async () => {
  await using forge = await startForge({ users: ['alice'], settings: { ingot: { MAX_GIT_DOWNLOADS: 4 } } })
  const repo = await forge.given.repo({ owner: 'alice' })
  await withFile(forge, repo.fullName, 24 * mebibyte)
  const path = `/${repo.fullName}/raw/branch/main/random.bin`
  const lazy = Array.from({ length: 20 }, () => new Lazy(forge, `GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`, '127.0.0.3'))
  try {
    await until(() => taken(forge).downloads.waiting === 19)
    assert.equal(taken(forge).downloads.taken, 1)
    const raw = await fetch(`${forge.url}${path}`)
    assert.equal((await raw.arrayBuffer()).byteLength, 24 * mebibyte)
    assert.equal((await forge.guest.get(`${repo.api}/commits?stat=true`)).status, 200)
  } finally {
    for (const each of lazy) each[Symbol.dispose]()
  }
  await until(() => taken(forge).downloads.taken + taken(forge).downloads.waiting === 0)
})

test('a client that reads almost nothing of a large answer is disconnected and frees its space', async () => {
  await using forge = await startForge({
    users: ['alice'],
    settings: { ingot: { SLOW_CLIENT_TIMEOUT: '1s', MAX_GIT_DOWNLOADS: 4 } },
  })
  const repo = await forge.given.repo({ owner: 'alice' })
  await withFile(forge, repo.fullName, 24 * mebibyte)
  const other = await forge.given.repo({ owner: 'alice' })
  await withFile(forge, other.fullName, 7 * mebibyte)
  using file = new Lazy(forge, `GET /${repo.fullName}/raw/branch/main/random.bin HTTP/1.1\r\nhost: x\r\n\r\n`)
  await until(() => taken(forge).downloads.taken === 1)
  await until(() => taken(forge).downloads.taken === 0 && forge.services.admission.requests.underWay === 0)
  await until(() => file.isCut)

  using json = new Lazy(forge, `GET /api/v1${other.api}/contents/random.bin HTTP/1.1\r\nhost: x\r\n\r\n`)
  await until(() => forge.services.admission.bytes.heldBytes > mebibyte)
  await until(() => forge.services.admission.bytes.heldBytes === 0)
  await until(() => json.isCut)
})
