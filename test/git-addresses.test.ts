import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startForge, type Forge } from '../src/testing/forge.ts'

/** Requests about a repository outside of the API, by operation. */
const addresses = (repo: string): Readonly<Record<string, readonly ['GET' | 'POST', string]>> => ({
  gitInfoRefs: ['GET', `/${repo}.git/info/refs?service=git-upload-pack`],
  gitHead: ['GET', `/${repo}/HEAD`],
  gitPacks: ['GET', `/${repo}/objects/info/packs`],
  gitStoredFile: ['GET', `/${repo}/objects/12/3456789012345678901234567890123456789a`],
  gitUploadPack: ['POST', `/${repo}.git/git-upload-pack`],
  gitReceivePack: ['POST', `/${repo}.git/git-receive-pack`],
})

const ask = async (client: Forge['guest'], [method, path]: readonly ['GET' | 'POST', string]): Promise<number> => {
  const service = path.slice(path.lastIndexOf('/') + 1)
  const headers = { 'content-type': `application/x-${service}-request` }
  const sent = method === 'GET' ? { site: true } : { site: true, headers, raw: '0000' }
  return (await client.send(method, path, undefined, sent)).status
}

test('gitInfoRefs, gitHead, gitPacks, gitStoredFile, gitUploadPack, gitReceivePack: a private repository is 401 for guests and missing for strangers', async () => {
  await using forge = await startForge({ users: ['alice', 'stranger'] })
  const hidden = await forge.given.repo({ private: true })
  const missing = addresses('alice/nothing')
  for (const [id, address] of Object.entries(addresses(hidden.fullName))) {
    const ofMissing = missing[id]
    assert.ok(ofMissing)
    assert.equal(await ask(forge.guest, address), 401, `${id}: a guest`)
    const expected = id === 'gitReceivePack' ? 403 : 404
    assert.equal(await ask(forge.as('stranger'), address), expected, `${id}: a stranger`)
    assert.equal(await ask(forge.as('stranger'), ofMissing), expected, `${id}: a stranger, of what is not there`)
    assert.equal(await ask(forge.as('alice', { token: '0'.repeat(40) }), address), 401, `${id}: a wrong token`)
    assert.equal(await ask(forge.as('alice'), address), id === 'gitStoredFile' ? 404 : 200, `${id}: the owner`)
  }
})

test('gitInfoRefs, gitHead, gitUploadPack, gitReceivePack: readers of a public repository can fetch and cannot push', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const open = await forge.given.repo()
  const { gitHead, gitUploadPack, gitReceivePack } = addresses(open.fullName)
  assert.ok(gitHead && gitUploadPack && gitReceivePack)
  assert.equal(await ask(forge.guest, gitReceivePack), 401)
  assert.deepEqual([await ask(forge.guest, gitHead), await ask(forge.guest, gitUploadPack)], [200, 200])
  const refs = await forge.guest.get(`/${open.fullName}/info/refs`, { site: true })
  const [, head] = /^([0-9a-f]{40})\trefs\/heads\/main$/m.exec(refs.text) ?? []
  assert.ok(head)
  // A reader may push to refs/for, so each reference is checked separately.
  const line = `${head} ${'0'.repeat(40)} refs/heads/main\0 report-status`
  const sent = await forge.as('bob').post(`/${open.fullName}.git/git-receive-pack`, undefined, {
    site: true,
    headers: { 'content-type': 'application/x-git-receive-pack-request' },
    raw: `${(line.length + 4).toString(16).padStart(4, '0')}${line}0000`,
  })
  assert.match(sent.text, /ng refs\/heads\/main /)
  assert.equal((await forge.guest.get(`/${open.fullName}/info/refs`, { site: true })).text, refs.text)
})

test('goGet, goGetPackage: the answer names the clone address, and is the same for private and missing repositories', async () => {
  await using forge = await startForge({ users: ['alice'] })
  await forge.given.repo({ name: 'open' })
  await forge.given.repo({ name: 'hidden', private: true })
  const goGetPage = async (path: string) => (await forge.guest.get(`${path}?go-get=1`, { site: true })).text
  const hidden = await goGetPage('/alice/hidden')
  assert.equal(hidden.replaceAll('hidden', 'nothing'), await goGetPage('/alice/nothing'))
  assert.match(
    await goGetPage('/alice/open/a/package'),
    /name="go-import" content="[^"]*\/alice\/open git [^"]*open\.git"/,
  )
})
