import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Browser } from '../../testing/browser.ts'
import { startForge, type Forge } from '../../testing/forge.ts'

const put = (forge: Forge, as: string, repo: { fullName: string }, path: string, text: string) =>
  forge.as(as).must('POST', `/repos/${repo.fullName}/contents/${path}`, {
    content: Buffer.from(text).toString('base64'),
    message: `add ${path}`,
  })

test('exploreCode: finds lines in the default branches of readable repositories only', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const open = await forge.given.repo({ owner: 'alice' })
  const hidden = await forge.given.repo({ owner: 'alice', private: true })
  const noCode = await forge.given.repo({ owner: 'alice' })
  await put(forge, 'alice', open, 'src/a%20b.ts', 'first\nconst Needle = "<b>"\n')
  await put(forge, 'alice', hidden, 'secret.txt', 'needle in secret\n')
  await put(forge, 'alice', noCode, 'off.txt', 'needle without code\n')
  await forge.as('alice').must('PATCH', `/repos/${noCode.fullName}`, { has_code: false })
  const [guest, alice] = [new Browser(forge), await Browser.of(forge, 'alice')]
  const { status, text } = await guest.get('/explore/code?q=needle')
  assert.equal(status, 200)
  assert.match(text, new RegExp(`href="/${open.fullName}/src/branch/main/src/a%20b\\.ts#L2"`))
  assert.match(text, /<mark>Needle<\/mark> = &quot;&lt;b/)
  assert.doesNotMatch(text, /secret/)
  assert.match((await alice.get('/explore/code?q=needle')).text, /secret\.txt/)
  assert.match((await guest.get('/explore/code?q=no.*dle')).text, /No line has/, 'the text is no pattern')
  assert.match((await guest.get('/explore/code?q=--help')).text, /No line has/)
  assert.match((await guest.get('/explore/code')).text, /Finds lines of text files/)
})

test('exploreCode: DISABLE_CODE_PAGE removes page and tab; guests sign in where exploring demands it', async () => {
  await using off = await startForge({ settings: { 'service.explore': { DISABLE_CODE_PAGE: true } } })
  const guest = new Browser(off)
  assert.equal((await guest.get('/explore/code?q=x')).status, 404)
  assert.doesNotMatch((await guest.get('/explore/repos')).text, /explore\/code/)
  await using forge = await startForge({ settings: { 'service.explore': { REQUIRE_SIGNIN_VIEW: true } } })
  assert.equal((await new Browser(forge).get('/explore/code')).status, 401)
  assert.equal((await (await Browser.of(forge, 'root')).get('/explore/code')).status, 200)
})

test('repoCodeSearchPage: finds lines of the default branch, and says when it stopped early', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const repo = await forge.given.repo({ owner: 'alice', private: true })
  for (let file = 0; file < 11; file++) await put(forge, 'alice', repo, `many/${file}.txt`, 'twig\n'.repeat(20))
  await put(forge, 'alice', repo, 'one.txt', 'a needle\n')
  const path = `/${repo.fullName}/search`
  assert.equal((await (await Browser.of(forge, 'bob')).get(path)).status, 404)
  const alice = await Browser.of(forge, 'alice')
  const found = await alice.get(`${path}?q=NEEDLE`)
  assert.match(found.text, new RegExp(`href="/${repo.fullName}/src/branch/main/one\\.txt#L1"`))
  assert.doesNotMatch(found.text, /stopped early/)
  const many = await alice.get(`${path}?q=twig`)
  assert.match(many.text, /stopped early/)
  assert.equal(many.text.match(/class="found-number"/g)?.length, 200)
  assert.match((await alice.get(`${path}?q=nothing-like-this`)).text, /No line has/)
})
