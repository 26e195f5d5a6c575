import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Browser } from '../../testing/browser.ts'
import { startForge } from '../../testing/forge.ts'
import { drop } from './drop.test-support.ts'

async function world() {
  const forge = await startForge({
    users: ['alice', 'bob', 'carol'],
    standAt: Date.now(),
    settings: { quota: { ENABLED: true } },
  })
  const repo = await forge.given.repo({ owner: 'alice' })
  await forge.as('alice').must('POST', `${repo.api}/issues`, { title: 'Anvil cracks' })
  const [alice, bob, carol] = [
    await Browser.of(forge, 'alice'),
    await Browser.of(forge, 'bob'),
    await Browser.of(forge, 'carol'),
  ]
  const path = `/${repo.fullName}/issues/1`
  const comment = (browser: Browser, content: string) => browser.submit(path, '/issues/1/comments"', { content })
  const filesOf = async (at: string): Promise<string[]> =>
    (await forge.as('alice').must('GET', `${repo.api}/issues/${at}/assets`)).json.map(
      (file: { name: string }) => file.name,
    )
  const newestComment = async (): Promise<string> =>
    (await forge.as('alice').must('GET', `${repo.api}/issues/1/comments`)).json.at(-1).id
  const usage = async (): Promise<number> =>
    (await forge.as('alice').must('GET', '/user/quota')).json.used.size.assets.attachments.issues
  return { forge, repo, path, alice, bob, carol, comment, filesOf, newestComment, usage }
}

test('uploadToIssue: guests, strangers, blocked accounts and other sites are refused, and nothing is stored', async () => {
  const { forge, repo, path, alice, bob, carol } = await world()
  await using _ = forge
  assert.equal((await drop(new Browser(forge), path, 'a.txt')).status, 303)
  await forge.as('alice').must('PUT', '/user/block/carol')
  const blocked = await drop(carol, path, 'a.txt')
  assert.equal(blocked.status, 403)
  assert.match(blocked.text, /blocked/)
  const seen = (await carol.get(path)).text
  assert.match(seen, /the owner of the repository or the author has blocked you/)
  assert.doesNotMatch(seen, /id="new_comment"/)
  const body = '--b\r\nContent-Disposition: form-data; name="attachment"; filename="a.txt"\r\n\r\ntext\r\n--b--\r\n'
  const crossSite = await forge.guest.send('POST', `${path}/attachments`, undefined, {
    site: true,
    raw: body,
    headers: {
      cookie: alice.cookieHeader(),
      'content-type': 'multipart/form-data; boundary=b',
      'sec-fetch-site': 'cross-site',
    },
  })
  assert.equal(crossSite.status, 403)
  await forge.as('alice').must('PATCH', repo.api, { private: true })
  assert.equal((await drop(bob, path, 'a.txt')).status, 404)
  for await (const { key } of forge.services.blobs.attachments.list('')) assert.fail(`${key} is left`)
})

test('uploadToIssue: a locked conversation takes files of its author and of writers; an archived repository takes none', async () => {
  const { forge, repo, path, alice, bob } = await world()
  await using _ = forge
  await forge.as('bob').must('POST', `${repo.api}/issues`, { title: 'Of a reader' })
  const ofBob = `/${repo.fullName}/issues/2`
  assert.equal((await alice.submit(path, '/issues/1/lock"', { on: 'true' })).status, 303)
  assert.equal((await alice.submit(ofBob, '/issues/2/lock"', { on: 'true' })).status, 303)
  const locked = await drop(bob, path, 'a.txt')
  assert.equal(locked.status, 403)
  assert.match(locked.text, /locked/)
  assert.doesNotMatch((await bob.get(path)).text, /<file-attachment/)
  assert.equal((await drop(alice, path, 'a.txt')).status, 200)
  assert.equal((await drop(bob, ofBob, 'a.txt')).status, 200)
  await forge.as('alice').must('PATCH', repo.api, { archived: true })
  assert.equal((await drop(alice, path, 'a.txt')).status, 423)
})

test('uploadToIssue, commentOnIssue: a reader drops a file, which belongs to the comment that shows it', async () => {
  const { forge, path, bob, alice, comment, filesOf, newestComment } = await world()
  await using _ = forge
  assert.match((await bob.get(path)).text, /<file-attachment data-upload-url="[^"]*\/issues\/1\/attachments"/)
  const { text, address } = await drop(bob, path, 'crack.png')
  assert.match(text, /^!\[crack\.png\]\(\/attachments\//)
  assert.equal((await bob.get(address)).status, 200, 'the preview of the comment shows it')
  assert.equal((await alice.get(address)).status, 404, 'nobody else reads it before the comment is sent')
  assert.deepEqual(await filesOf('1'), [])
  assert.equal((await comment(bob, `Look: ${text}`)).status, 303)
  assert.equal((await new Browser(forge).get(address)).status, 200)
  const id = await newestComment()
  assert.deepEqual([await filesOf('1'), await filesOf(`comments/${id}`)], [[], ['crack.png']])
  const other = await drop(bob, path, 'more.txt')
  assert.equal(
    (
      await bob.submit(`${path}?edit=issuecomment-${id}`, `/comments/${id}/content"`, {
        content: `${text} ${other.text}`,
      })
    ).status,
    303,
  )
  assert.deepEqual(await filesOf(`comments/${id}`), ['crack.png', 'more.txt'])
  assert.equal((await bob.submit(path, `/comments/${id}/delete"`)).status, 303)
  await forge.settle()
  assert.equal((await bob.get(address)).status, 404)
})

test('uploadToIssue, commentOnIssue: only its uploader, in the same repository, gets a file into a text, and only once', async () => {
  const { forge, repo, path, bob, carol, comment, filesOf, newestComment } = await world()
  await using _ = forge
  const { text, address } = await drop(bob, path, 'mine.txt')
  await comment(carol, `Not mine: ${text}`)
  const ofCarol = await newestComment()
  assert.deepEqual(await filesOf(`comments/${ofCarol}`), [])
  assert.equal((await carol.get(address)).status, 404)
  const elsewhere = await forge.given.repo({ owner: 'bob', name: 'elsewhere', private: true })
  await forge.as('bob').must('POST', `${elsewhere.api}/issues`, { title: 'x', body: text })
  assert.deepEqual((await forge.as('bob').must('GET', `${elsewhere.api}/issues/1/assets`)).json, [])
  await comment(bob, text)
  const ofBob = await newestComment()
  await comment(bob, `Again ${text}`)
  assert.deepEqual(await filesOf(`comments/${ofBob}`), ['mine.txt'])
  assert.deepEqual(await filesOf(`comments/${await newestComment()}`), [])
  const ofApi = await drop(bob, path, 'api.txt')
  const { id } = (await forge.as('bob').must('POST', `${repo.api}/issues/1/comments`, { body: ofApi.text })).json
  assert.deepEqual(await filesOf(`comments/${id}`), ['api.txt'])
})

test('uploadToIssue: fifty files of an account wait in a repository, and the storage of its owner counts them', async () => {
  const { forge, path, bob, carol, comment, usage } = await world()
  await using _ = forge
  const dropped = await Promise.all(Array.from({ length: 50 }, (_, at) => drop(bob, path, `${at}.txt`)))
  assert.deepEqual(new Set(dropped.map(({ status }) => status)), new Set([200]))
  const before = await usage()
  assert.ok(before > 50 * 10)
  const refused = await drop(bob, path, 'one-more.txt')
  assert.equal(refused.status, 422)
  assert.match(refused.text, /50 of your files wait/)
  assert.equal(await usage(), before)
  assert.equal((await drop(carol, path, 'of-another.txt')).status, 200)
  await comment(bob, dropped[0]?.text ?? '')
  assert.equal((await drop(bob, path, 'one-more.txt')).status, 200)
})

test('uploadToIssue, adminCronRun: a file that no text shows is deleted after three days, with its bytes', async () => {
  const { forge, path, bob, comment, filesOf, newestComment, usage } = await world()
  await using _ = forge
  const [shown, left] = [await drop(bob, path, 'shown.txt'), await drop(bob, path, 'left.txt')]
  await comment(bob, shown.text)
  const clean = async () => {
    await forge.as('root').must('POST', '/admin/cron/delete_abandoned_uploads')
    await forge.settle()
  }
  const keys = async (): Promise<number> => {
    let count = 0
    for await (const _ of forge.services.blobs.attachments.list('')) count++
    return count
  }
  forge.clock.advance(2 * 86_400_000)
  await clean()
  assert.equal(await keys(), 2)
  const before = await usage()
  forge.clock.advance(2 * 86_400_000)
  await clean()
  assert.equal(await keys(), 1)
  assert.equal(before - (await usage()), 'content of left.txt'.length)
  assert.equal((await (await Browser.of(forge, 'bob')).get(left.address)).status, 404)
  assert.deepEqual(await filesOf(`comments/${await newestComment()}`), ['shown.txt'])
})

test('uploadToNewIssue: guests, strangers and blocked accounts are refused, also where the site takes no files', async () => {
  const { forge, repo, bob, carol } = await world()
  await using _ = forge
  const issues = `/${repo.fullName}/issues`
  assert.equal((await drop(new Browser(forge), issues, 'a.txt')).status, 303)
  await forge.as('alice').must('PUT', '/user/block/carol')
  assert.equal((await drop(carol, issues, 'a.txt')).status, 403)
  await forge.as('alice').must('PATCH', repo.api, { private: true })
  assert.equal((await drop(bob, issues, 'a.txt')).status, 404)
  await using without = await startForge({ users: ['alice'], settings: { attachment: { ENABLED: false } } })
  const other = await without.given.repo({ owner: 'alice' })
  const alice = await Browser.of(without, 'alice')
  assert.doesNotMatch((await alice.get(`/${other.fullName}/issues/new`)).text, /<file-attachment/)
  assert.equal((await drop(alice, `/${other.fullName}/issues`, 'a.txt')).status, 404)
})

test('uploadToNewIssue, openIssueOfPage: a file that is dropped into a new issue belongs to its text', async () => {
  const { forge, repo, bob, filesOf } = await world()
  await using _ = forge
  const form = `/${repo.fullName}/issues/new`
  assert.match((await bob.get(form)).text, /<file-attachment data-upload-url="[^"]*\/issues\/attachments"/)
  const { text, address } = await drop(bob, `/${repo.fullName}/issues`, 'crack.png')
  assert.equal((await new Browser(forge).get(address)).status, 404)
  assert.equal((await bob.submit(form, '/issues/new"', { title: 'Look', content: text })).status, 303)
  assert.deepEqual(await filesOf('2'), ['crack.png'])
  assert.equal((await new Browser(forge).get(address)).status, 200)
})
