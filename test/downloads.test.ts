import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startForge, testPassword, type Forge } from '../src/testing/forge.ts'
import type { GivenRepo } from '../src/testing/given.ts'
import { base64 } from '../src/testing/samples.ts'
import { upload } from '../src/testing/upload.ts'

/** Downloads of a repository outside of the API: addresses for readers, and addresses for writers. */
async function fill(forge: Forge, repo: GivenRepo) {
  const alice = forge.as('alice')
  const post = async (path: string, body: object) => (await alice.must('POST', `${repo.api}${path}`, body)).json
  const attach = async (path: string) =>
    (await alice.must('POST', `${repo.api}${path}/assets`, undefined, upload('file.txt', 'attached'))).json
  const { commit, content } = await post('/contents/dir/file.txt', { content: base64('content'), new_branch: 'topic' })
  const pull = await post('/pulls', { head: 'topic', base: 'main', title: 'add' })
  const [release, draft] = [
    await post('/releases', { tag_name: 'v1' }),
    await post('/releases', { tag_name: 'v2', draft: true }),
  ]
  const [asset, hidden] = [await attach(`/releases/${release.id}`), await attach(`/releases/${draft.id}`)]
  const issue = await post('/issues', { title: 'issue' })
  const note = await attach(`/issues/${issue.number}`)
  await post('/wiki/new', { title: 'Home', content_base64: base64('welcome') })
  const at = (path: string): string => `/${repo.fullName}${path}`
  /** The addresses of files, which support ranges and conditional requests. */
  const files = [
    at('/raw/branch/topic/dir/file.txt'),
    at(`/raw/commit/${commit.sha}/dir/file.txt`),
    at(`/raw/blob/${content.sha}`),
    at('/media/branch/topic/dir/file.txt'),
    at('/archive/topic.zip'),
    at('/archive/v1.tar.gz'),
    at('/releases/download/v1/file.txt'),
    at('/releases/latest/download/file.txt'),
    at('/wiki/raw/Home.md'),
    at(`/attachments/${note.uuid}`),
    `/attachments/${note.uuid}`,
    `/attachments/${asset.uuid}`,
  ]
  const others = [
    ...[`/commit/${commit.sha}`, `/pulls/${pull.number}`].flatMap((path) => [at(`${path}.diff`), at(`${path}.patch`)]),
    at('.rss'),
  ]
  return { files, others, drafts: [at('/releases/download/v2/file.txt'), `/attachments/${hidden.uuid}`] }
}

const statusOf = async (forge: Forge, who: Parameters<Forge['as']>[0] | undefined, path: string): Promise<number> =>
  (await (who === undefined ? forge.guest : forge.as(who)).get(path, { site: true })).status

const isShown = (status: number): boolean => status === 200 || status === 303

test('each download outside of the API answers every caller as the repository does', async () => {
  await using forge = await startForge({
    users: ['alice', 'reader', 'stranger'],
    settings: { attachment: { ENABLED: true } },
  })
  const repos = {
    private: await forge.given.repo({ owner: 'alice', name: 'hidden', private: true }),
    public: await forge.given.repo({ owner: 'alice', name: 'open' }),
  }
  const withPassword = forge.as('alice', { basic: { login: 'alice', password: testPassword } })
  const tokenOf = async (scopes: string[]): Promise<string> =>
    (await withPassword.must('POST', '/users/alice/tokens', { name: scopes.join(), scopes })).json.sha1
  const publicOnly = await tokenOf(['public-only', 'all'])
  const misc = await tokenOf(['read:misc'])
  for (const [kind, repo] of Object.entries(repos)) {
    await forge.as('alice').must('PUT', `${repo.api}/collaborators/reader`, { permission: 'read' })
    const { files, others, drafts } = await fill(forge, repo)
    const isPublic = kind === 'public'
    const withToken = async (token: string, path: string): Promise<number> =>
      (await forge.guest.get(path, { site: true, headers: { authorization: `token ${token}` } })).status
    for (const path of [...files, ...others]) {
      const shown = {
        guest: isShown(await statusOf(forge, undefined, path)),
        stranger: isShown(await statusOf(forge, 'stranger', path)),
        reader: isShown(await statusOf(forge, 'reader', path)),
        owner: isShown(await statusOf(forge, 'alice', path)),
        publicOnly: isShown(await withToken(publicOnly, path)),
      }
      const expected = { guest: isPublic, stranger: isPublic, reader: true, owner: true, publicOnly: isPublic }
      assert.deepEqual(shown, expected, `${kind} ${path}`)
      // A token without the scope sees what guests see.
      if (!isPublic) assert.equal(isShown(await withToken(misc, path)), false, path)
    }
    for (const path of drafts) {
      const statuses = [undefined, 'stranger', 'reader', 'alice'].map((who) => statusOf(forge, who, path))
      const seen = (await Promise.all(statuses)).map(isShown)
      assert.deepEqual(seen, [false, false, false, true], `${kind} ${path}`)
      assert.equal(isShown(await withToken(publicOnly, path)), isPublic, path)
    }
    for (const path of files) {
      const get = (headers: Record<string, string>) => forge.as('reader').get(path, { site: true, headers })
      const whole = await get({})
      const part = await get({ range: 'bytes=1-3' })
      assert.deepEqual([part.status, part.bytes], [206, whole.bytes.subarray(1, 4)], path)
      const etag = whole.headers.get('etag') ?? ''
      assert.equal((await get({ 'if-none-match': etag })).status, 304, path)
      assert.equal((await get({ range: 'bytes=999999999-' })).status, 416, path)
      const head = await forge.as('reader').send('HEAD', path, undefined, { site: true })
      assert.deepEqual([head.status, head.headers.get('content-length')], [200, `${whole.bytes.length}`], path)
    }
  }
})
