import assert from 'node:assert/strict'
import { test } from 'node:test'
import sharp from 'sharp'
import { startForge, type Forge } from '../../testing/forge.ts'
import { base64 } from '../../testing/samples.ts'

/** Returns a picture of one colour, in base64. */
const picture = async (side: number, background: string): Promise<string> =>
  (
    await sharp({ create: { width: side, height: side, channels: 3, background } })
      .png()
      .toBuffer()
  ).toString('base64')

const addressOf = async (forge: Forge, path: string): Promise<string> =>
  new URL((await forge.as('alice').must('GET', path)).json.avatar_url).pathname

async function storedCount(forge: Forge): Promise<number> {
  let count = 0
  for (const store of ['avatars', 'repoAvatars'] as const) {
    for await (const { sizeBytes } of forge.services.blobs[store].list('')) count += sizeBytes > 0 ? 1 : 0
  }
  return count
}

test('userUpdateAvatar: refusals', async () => {
  await using forge = await startForge({ settings: { picture: { AVATAR_MAX_FILE_SIZE: 2000, AVATAR_MAX_WIDTH: 64 } } })
  const alice = forge.as('alice')
  assert.equal((await forge.guest.post('/user/avatar', {})).status, 401)
  assert.equal((await alice.post('/user/avatar', {})).status, 422)
  assert.equal((await alice.post('/user/avatar', { image: '!!!' })).status, 400)
  const text = base64('<svg xmlns="http://www.w3.org/2000/svg"/>')
  assert.equal((await alice.post('/user/avatar', { image: text })).status, 422, 'a drawing may hold scripts')
  assert.equal((await alice.post('/user/avatar', { image: Buffer.alloc(2001).toString('base64') })).status, 422)
  assert.equal((await alice.post('/user/avatar', { image: await picture(65, 'red') })).status, 422)
  assert.equal(await storedCount(forge), 0)
})

test('userUpdateAvatar, userDeleteAvatar, showAvatar: the address changes with the picture, and old files are deleted', async () => {
  await using forge = await startForge()
  const alice = forge.as('alice')
  const drawn = await addressOf(forge, '/user')
  const [first, again] = await Promise.all([forge.guest, forge.guest].map((one) => one.get(drawn, { site: true })))
  assert.deepEqual([first?.status, first?.headers.get('content-type')], [200, 'image/png'])
  assert.ok(first?.bytes.equals(again?.bytes ?? Buffer.alloc(0)))

  const sideOf = async (query: string): Promise<number> =>
    (await sharp((await forge.guest.get(`${drawn}${query}`, { site: true })).bytes).metadata()).width
  const sides = await Promise.all(['', '?size=80', '?size=81', '?size=large'].map(sideOf))
  assert.deepEqual(sides, [256, 80, 256, 256], 'a small one may be asked for')

  const red = await picture(8, 'red')
  assert.equal((await alice.post('/user/avatar', { image: red })).status, 204)
  const set = await addressOf(forge, '/user')
  assert.match(set, /^\/avatars\/[0-9a-f]{64}$/)
  const served = await forge.guest.get(set, { site: true })
  assert.deepEqual([served.status, served.headers.get('content-type')], [200, 'image/png'])
  assert.match(served.headers.get('cache-control') ?? '', /^public, max-age=\d+/)
  assert.equal(served.bytes.toString('base64'), red, 'a small picture stays as it is')
  const unchanged = await forge.guest.get(set, {
    site: true,
    headers: { 'if-none-match': served.headers.get('etag') ?? '' },
  })
  assert.equal(unchanged.status, 304)

  await alice.must('POST', '/user/avatar', { image: await picture(8, 'blue') })
  await forge.settle()
  assert.notEqual(await addressOf(forge, '/user'), set)
  assert.equal((await forge.guest.get(set, { site: true })).status, 404)
  assert.equal(await storedCount(forge), 1)
  assert.equal((await alice.delete('/user/avatar')).status, 204)
  assert.equal((await alice.delete('/user/avatar')).status, 204)
  await forge.settle()
  assert.equal(await storedCount(forge), 0)
  assert.equal(await addressOf(forge, '/user'), drawn)
})

test('showAvatarOf: leads to the picture of an account that the caller sees', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const ask = (name: string) => forge.guest.get(`/${name}.png`, { site: true })
  const found = await ask('alice')
  const picture = (await forge.as('alice').must('GET', '/user')).json.avatar_url
  assert.deepEqual([found.status, found.headers.get('location')], [303, picture])
  const hidden = { login_name: 'bob', source_id: 0, visibility: 'private' }
  await forge.as('root').must('PATCH', '/admin/users/bob', hidden)
  assert.equal((await ask('bob')).status, 404)
  assert.equal((await ask('nobody')).status, 404)
})

test('userUpdateAvatar: a large picture becomes a square; concurrent uploads leave one file', async () => {
  await using forge = await startForge({
    settings: { picture: { AVATAR_MAX_ORIGIN_SIZE: 500, AVATAR_RENDERED_SIZE_FACTOR: 1 } },
  })
  const wide = await sharp({
    create: {
      width: 900,
      height: 300,
      channels: 3,
      background: 'green',
      noise: { type: 'gaussian', mean: 9, sigma: 9 },
    },
  })
    .jpeg()
    .toBuffer()
  await forge.as('alice').must('POST', '/user/avatar', { image: wide.toString('base64') })
  const reply = await forge.guest.get(await addressOf(forge, '/user'), { site: true })
  const { width, height, format } = await sharp(reply.bytes).metadata()
  assert.deepEqual([width, height, format], [256, 256, 'png'])

  const images = await Promise.all(['red', 'blue', 'white', 'black'].map((colour) => picture(8, colour)))
  await Promise.all(images.map((image) => forge.as('alice').must('POST', '/user/avatar', { image })))
  await forge.settle()
  assert.equal(await storedCount(forge), 1)
  assert.equal((await forge.guest.get(await addressOf(forge, '/user'), { site: true })).status, 200)
})

test('orgUpdateAvatar, orgDeleteAvatar: owners of the organization', async () => {
  await using forge = await startForge()
  const org = await forge.given.org()
  const image = await picture(8, 'red')
  const drawn = await addressOf(forge, `/orgs/${org}`)
  assert.equal((await forge.guest.post(`/orgs/${org}/avatar`, { image })).status, 401)
  assert.equal((await forge.as('bob').post(`/orgs/${org}/avatar`, { image })).status, 403)
  assert.equal((await forge.as('alice').post(`/orgs/${org}/avatar`, { image })).status, 204)
  assert.equal((await forge.guest.get(await addressOf(forge, `/orgs/${org}`), { site: true })).status, 200)
  assert.equal((await forge.as('alice').delete(`/orgs/${org}/avatar`)).status, 204)
  assert.equal(await addressOf(forge, `/orgs/${org}`), drawn)
})

test('repoUpdateAvatar, repoDeleteAvatar, showRepoAvatar: administrators; the file goes with the repository', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  const image = await picture(8, 'red')
  assert.equal((await forge.guest.post(`${repo.api}/avatar`, { image })).status, 401)
  assert.equal((await forge.as('bob').post(`${repo.api}/avatar`, { image })).status, 403)
  assert.equal((await forge.as('alice').post(`${repo.api}/avatar`, { image })).status, 204)
  const address = await addressOf(forge, repo.api)
  assert.match(address, /^\/repo-avatars\/[0-9a-f]{64}$/)
  assert.equal((await forge.guest.get(address, { site: true })).status, 200)
  assert.equal((await forge.as('alice').delete(`${repo.api}/avatar`)).status, 204)
  assert.equal((await forge.as('alice').must('GET', repo.api)).json.avatar_url, '')
  await forge.as('alice').must('POST', `${repo.api}/avatar`, { image })
  await forge.as('alice').must('DELETE', repo.api)
  await forge.settle()
  assert.equal(await storedCount(forge), 0)
})

test('showAvatar, showDefaultAvatar: invalid names are 404; deleted accounts have a picture', async () => {
  await using forge = await startForge()
  for (const name of ['x', '0'.repeat(64), `${'0'.repeat(63)}g`, '..%2f..%2fsecret.key']) {
    assert.equal((await forge.guest.get(`/avatars/${name}`, { site: true })).status, 404, name)
    assert.equal((await forge.guest.get(`/repo-avatars/${name}`, { site: true })).status, 404, name)
  }
  const ghost = await forge.guest.get('/assets/img/avatar_default.png', { site: true })
  assert.deepEqual([ghost.status, ghost.headers.get('content-type')], [200, 'image/png'])
})
