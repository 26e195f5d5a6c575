import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Browser, hiddenFields } from '../../testing/browser.ts'
import { startForge, type Forge } from '../../testing/forge.ts'
import { commitFiles } from '../../testing/given-pull.ts'
import { openAs, reachValue, skip } from '../shell/scripts.test-support.ts'
import { withPull } from './pull.test-support.ts'
import { givenChanges } from './review.test-support.ts'

test('commentOnLine, submitTheReview, discardTheReview: comments wait for the review; nobody approves their own', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const { pull, at } = await withPull(forge)
  const path = `${pull.branch}.txt`
  const bob = await Browser.of(forge, 'bob')
  const open = `${at}/files?file=${path}&line=0-R1`
  const send = (mode: string, content: string) =>
    bob.submit(open, '/files/reviews/comments', { mode, content, line: '1' })
  assert.equal((await send('single', ' ')).status, 422)
  assert.equal((await send('single', 'Why this?')).status, 303)
  assert.match((await bob.get(`${at}/files`)).text, /Why this\?/)
  assert.equal((await send('review', 'Pending words')).status, 303)
  const alice = await Browser.of(forge, 'alice')
  assert.doesNotMatch((await alice.get(`${at}/files`)).text, /Pending words/)
  assert.match((await bob.get(`${at}/files`)).text, /Finish review \(1\)/)
  assert.match((await bob.get(at)).text, /Only you see this comment until you submit the review/)
  assert.doesNotMatch((await alice.get(at)).text, /Only you see/)
  assert.equal((await bob.submit(`${at}/files`, '/files/reviews/discard')).status, 303)
  assert.doesNotMatch((await bob.get(`${at}/files`)).text, /Pending words/)
  await send('review', 'Second thought')
  const empty = await bob.submit(`${at}/files`, '/files/reviews/submit', { type: 'reject', content: '' })
  assert.equal(empty.status, 422)
  assert.match(empty.text, /role="alert"[^]*needs a text/)
  assert.equal((await bob.submit(`${at}/files`, '/files/reviews/submit', { type: 'approve', content: '' })).status, 303)
  assert.match((await alice.get(`${at}/files`)).text, /Second thought/)
  assert.match((await alice.get(at)).text, /approved these changes/)
  const own = await alice.submit(`${at}/files`, '/files/reviews/submit', { type: 'approve', content: 'Mine' })
  assert.equal(own.status, 422)
})

test('commentOnLine, applyTheSuggestion: a comment on several lines keeps its range, and its suggestion replaces them', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const { repo, pull, at } = await withPull(forge)
  const lines = Array.from({ length: 12 }, (_, line) => `line ${line + 1}`)
  await commitFiles(forge, repo, pull.branch, { 'many.txt': `${lines.join('\n')}\n` })
  const bob = await Browser.of(forge, 'bob')
  const { text } = await bob.get(`${at}/files?file=many.txt`)
  const [, index] = /turbo-frame id="diff-(\d+)"/.exec(text) ?? []
  const open = `${at}/files?file=many.txt&line=${index}-R3-R9`
  assert.match((await bob.get(open)).text, /name="first"[^>]*value="3"|value="3"[^>]*name="first"/)
  const send = (fields: Record<string, string>) =>
    bob.submit(open, '/files/reviews/comments', {
      mode: 'single',
      content: 'Shorter:\n```suggestion\nshort\n```',
      ...fields,
    })
  assert.equal((await send({ first: '10', line: '9' })).status, 422)
  assert.equal((await send({ first: '3', line: '200' })).status, 422)
  assert.equal((await send({ first: '3', line: '9' })).status, 303)
  const [{ id: review }] = (await forge.as('bob').get(`${pull.api}/reviews`)).json
  const [comment] = (await forge.as('bob').get(`${pull.api}/reviews/${review}/comments`)).json
  assert.deepEqual([comment.position, comment.diff_hunk.split('\n').length], [9, 8])
  assert.match((await bob.get(`${at}/files?file=many.txt`)).text, /Lines 3–9/)
  assert.match((await bob.get(at)).text, /many\.txt:3–9/)
  const alice = await Browser.of(forge, 'alice')
  assert.equal((await alice.submit(at, `/suggestions/${comment.id}`)).status, 303)
  const file = (await forge.as('alice').get(`${repo.api}/contents/many.txt?ref=${pull.branch}`)).json
  const now = [...lines.slice(0, 2), 'short', ...lines.slice(9)]
  assert.equal(Buffer.from(file.content, 'base64').toString(), `${now.join('\n')}\n`)
})

test('markFileViewed: a file stays viewed by one person while its content is the same', async () => {
  await using forge = await startForge({ users: ['alice', 'bob', 'carol'] })
  const { repo, pull, at } = await withPull(forge)
  const [bob, carol] = [await Browser.of(forge, 'bob'), await Browser.of(forge, 'carol')]
  const files = `${at}/files`
  assert.doesNotMatch((await new Browser(forge).get(files)).text, /files\/viewed/)
  assert.match((await bob.get(files)).text, /0 of 1 viewed/)
  assert.equal((await bob.submit(files, '/files/viewed', { content: 'x' })).status, 404)
  assert.equal((await bob.submit(files, '/files/viewed', { path: 'README.md' })).status, 404)
  const done = await bob.submit(files, '/files/viewed')
  assert.deepEqual([done.status, done.headers.get('location')], [303, `${files}#diff-0`])
  assert.match((await bob.get(files)).text, /1 of 1 viewed/)
  assert.match((await carol.get(files)).text, /0 of 1 viewed/)
  await commitFiles(forge, repo, pull.branch, { [`${pull.branch}.txt`]: 'changed\n' })
  assert.match((await bob.get(files)).text, /0 of 1 viewed/)
  await bob.submit(files, '/files/viewed')
  assert.match((await bob.get(files)).text, /1 of 1 viewed/)
  await bob.submit(files, '/files/viewed')
  assert.match((await bob.get(files)).text, /0 of 1 viewed/)
})

test('markFileViewed: scripts get the button and the progress only', { skip }, async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const { at, files } = await givenChanges(forge)
  const bob = await Browser.of(forge, 'bob')
  const fields = { ...hiddenFields((await bob.get(files)).text, '/files/viewed'), _csrf: await bob.csrf(files) }
  const accept = 'text/vnd.turbo-stream.html, text/html'
  const answer = await bob.send('POST', `${files}/viewed`, fields, { accept })
  assert.equal(answer.status, 200)
  assert.match(answer.headers.get('content-type') ?? '', /^text\/vnd\.turbo-stream\.html/)
  assert.deepEqual(answer.text.match(/target="[^"]+"/g), ['target="viewed-0"', 'target="viewed-progress"'])
  assert.match(answer.text, /aria-pressed="true"[^]*1 of 2 viewed/)
  assert.ok(answer.text.length < 1500, `${answer.text.length} characters`)
  const changed = await bob.send('POST', `${files}/viewed`, { ...fields, content: 'other' }, { accept })
  assert.equal(changed.status, 404)

  await using it = await openAs(forge, 'bob')
  const { page, wrong } = it
  const requests: string[] = []
  await page.goto(files)
  await page.evaluate(`document.querySelector('#diff-0').isSame = true`)
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (!pathname.startsWith('/assets/')) requests.push(`${request.method()} ${pathname}`)
  })
  const button = page.locator('#diff-1 .viewed-button')
  await button.click()
  await page.getByText('2 of 2 viewed').waitFor()
  await reachValue(page, `String(document.querySelector('#diff-1 details').open)`, 'false')
  assert.equal(await button.getAttribute('aria-pressed'), 'true')
  await page.locator('#diff-0 .viewed-button').click()
  await page.getByText('1 of 2 viewed').waitFor()
  await reachValue(page, `String(document.querySelector('#diff-0 details').open)`, 'true')
  assert.equal(await page.evaluate(`document.querySelector('#diff-0').isSame`), true, 'the page is the same')
  assert.deepEqual(requests, [`POST ${files}/viewed`, `POST ${files}/viewed`])
  await page.goto(at)
  await page.goto(files)
  await page.getByText('1 of 2 viewed').waitFor()
  assert.deepEqual(wrong, [])
})

/** The id of the newest comment on a line, by the API. */
async function newestLineComment(forge: Forge, api: string, name: string): Promise<number> {
  const reviews = (await forge.as(name).get(`${api}/reviews`)).json as { id: number }[]
  const comments = (await forge.as(name).get(`${api}/reviews/${reviews.at(-1)?.id}/comments`)).json as { id: number }[]
  return comments.at(-1)?.id ?? 0
}

test('rewriteComment, removeCommentOfIssue, reactToComment: comments on lines, and pending ones only by their author', async () => {
  await using forge = await startForge({ users: ['alice', 'bob', 'carol'] })
  const { pull, at } = await withPull(forge)
  const path = `${pull.branch}.txt`
  const [alice, bob] = [await Browser.of(forge, 'alice'), await Browser.of(forge, 'bob')]
  const write = (mode: string, content: string) =>
    bob.submit(`${at}/files?file=${path}&line=0-R1`, '/files/reviews/comments', {
      mode,
      content,
      line: '1',
      first: '1',
    })
  await write('single', 'frist')
  const id = await newestLineComment(forge, pull.api, 'bob')
  const of = `/issues/${pull.number}/comments/${id}`
  const files = `${at}/files?file=${path}`
  const edited = await bob.submit(`${files}&edit=issuecomment-${id}`, `${of}/content`, { content: 'first' })
  assert.deepEqual([edited.status, edited.headers.get('location')], [303, `${files}#issuecomment-${id}`])
  const late = await bob.submit(`${at}?edit=issuecomment-${id}`, `${of}/content`, { content: 'mine', version: '0' })
  assert.equal(late.status, 409)
  assert.match(late.text, /The text as it is now/)
  const carol = await Browser.of(forge, 'carol')
  assert.equal((await carol.submit(at, `${of}/reactions`, { content: 'eyes' })).status, 303)
  const page = `/${at.split('/').slice(1, 3).join('/')}${of}`
  assert.equal((await carol.post(`${page}/content`, { _csrf: await carol.csrf(at), content: 'x' })).status, 403)
  assert.equal((await carol.post(`${page}/delete`, { _csrf: await carol.csrf(at) })).status, 403)
  assert.match((await carol.get(at)).text, /first[\s\S]*carol: eyes/)
  assert.equal((await alice.submit(at, `${of}/delete`)).status, 303)
  assert.doesNotMatch((await alice.get(at)).text, /first<\/p>/)

  await write('review', 'secret')
  const pending = await newestLineComment(forge, pull.api, 'bob')
  const hidden = `/${at.split('/').slice(1, 3).join('/')}/issues/${pull.number}/comments/${pending}`
  const csrf = await alice.csrf(at)
  assert.equal((await alice.post(`${hidden}/content`, { _csrf: csrf, content: 'x' })).status, 404)
  assert.equal((await alice.post(`${hidden}/reactions`, { _csrf: csrf, content: 'eyes' })).status, 404)
  await bob.submit(`${files}&edit=issuecomment-${pending}`, '/content', { content: 'secret plan' })
  assert.doesNotMatch((await alice.get(`${hidden}/history`)).text, /secret/)
  assert.match((await bob.get(files)).text, /secret plan/)
})

test('resolveTheConversation: authors and writers resolve a conversation, and a later comment opens it again', async () => {
  await using forge = await startForge({ users: ['alice', 'bob', 'carol'] })
  const { pull, at } = await withPull(forge)
  const path = `${pull.branch}.txt`
  const [bob, carol] = [await Browser.of(forge, 'bob'), await Browser.of(forge, 'carol')]
  const open = `${at}/files?file=${path}&line=0-R1`
  await bob.submit(open, '/files/reviews/comments', { mode: 'single', content: 'Why this?', line: '1' })
  const id = await newestLineComment(forge, pull.api, 'bob')
  const to = `${at}/conversations/${id}`
  const resolver = async () => {
    const [{ id: review }] = (await forge.as('bob').get(`${pull.api}/reviews`)).json
    return (await forge.as('bob').get(`${pull.api}/reviews/${review}/comments`)).json[0].resolver?.login
  }
  const refused = await carol.post(to, { _csrf: await carol.csrf(at), resolved: 'true' })
  assert.equal(refused.status, 403)
  assert.doesNotMatch((await carol.get(at)).text, /Resolve conversation/)
  assert.equal((await bob.post(`${at}/conversations/${id + 99}`, { _csrf: await bob.csrf(at) })).status, 404)
  const done = await bob.submit(`${at}/files`, `/conversations/${id}`)
  assert.deepEqual([done.status, done.headers.get('location')], [303, `${at}/files?file=${path}#issuecomment-${id}`])
  assert.equal(await resolver(), 'bob')
  assert.match((await carol.get(at)).text, /bob resolved this · 1 comment/)
  assert.equal((await bob.submit(at, `/conversations/${id}`)).status, 303)
  assert.equal(await resolver(), undefined)
  await bob.submit(at, `/conversations/${id}`)
  const reply = await carol.submit(at, '/files/reviews/comments', { mode: 'single', content: 'Because' })
  assert.deepEqual([reply.status, reply.headers.get('location')], [303, at])
  assert.doesNotMatch((await carol.get(at)).text, /resolved this/)
})

test('applyTheSuggestion: whoever may write to the branch commits the suggested line', async () => {
  await using forge = await startForge({ users: ['alice', 'bob', 'carol'] })
  const { repo, pull, at } = await withPull(forge)
  const path = `${pull.branch}.txt`
  const review = await forge.as('bob').must('POST', `${pull.api}/reviews`, {
    event: 'COMMENT',
    comments: [{ path, new_position: 1, body: 'Shorter:\n```suggestion\none\ntwo\n```' }],
  })
  const comments = (await forge.as('bob').get(`${pull.api}/reviews/${review.json.id}/comments`)).json
  const carol = await Browser.of(forge, 'carol')
  const act = `/suggestions/${comments[0].id}`
  const refused = await carol.post(`${at}${act}`, { _csrf: await carol.csrf('/user/settings') })
  assert.equal(refused.status, 403)
  const alice = await Browser.of(forge, 'alice')
  assert.match((await alice.get(at)).text, new RegExp(`${act}"`))
  assert.equal((await alice.submit(`${at}/files`, act)).status, 303)
  for (const _ of ['at once', 'after the jobs']) {
    assert.doesNotMatch((await alice.get(at)).text, new RegExp(`${act}"`))
    assert.match((await alice.get(at)).text, /Outdated/)
    assert.doesNotMatch((await alice.get(`${at}/files`)).text, new RegExp(`${act}"`))
    await forge.settle()
  }
  const { json } = await forge.as('alice').get(`${repo.api}/contents/${path}?ref=${pull.branch}`)
  assert.equal(Buffer.from(json.content, 'base64').toString(), 'one\ntwo\n')
  const again = await alice.post(`${at}${act}`, { _csrf: await alice.csrf('/user/settings') })
  assert.equal(again.status, 409)
})

test('applyTheSuggestions: chosen suggestions become one commit, or none does', async () => {
  await using forge = await startForge({ users: ['alice', 'bob', 'carol'] })
  const { repo, pull, at } = await withPull(forge)
  const lines = Array.from({ length: 12 }, (_, line) => `line ${line + 1}`)
  await commitFiles(forge, repo, pull.branch, {
    'many.txt': `${lines.join('\n')}\n`,
    'other.txt': 'one\ntwo\n',
  })
  const suggest = (path: string, line: number, ...words: string[]) => ({
    path,
    new_position: line,
    body: `Shorter:\n\`\`\`suggestion\n${words.join('\n')}\n\`\`\``,
  })
  const { json: review } = await forge.as('bob').must('POST', `${pull.api}/reviews`, {
    event: 'COMMENT',
    comments: [suggest('many.txt', 3, 'three', 'more'), suggest('many.txt', 9, 'nine'), suggest('other.txt', 1, '1')],
  })
  const comments = (await forge.as('bob').get(`${pull.api}/reviews/${review.id}/comments`)).json
  const idOf = (path: string, body: string): string =>
    String(comments.find((each: { path: string; body: string }) => each.path === path && each.body.includes(body)).id)
  const [three, nine, one] = [idOf('many.txt', 'three'), idOf('many.txt', 'nine'), idOf('other.txt', '1')]
  const headOf = async () => (await forge.as('alice').get(`${repo.api}/branches/${pull.branch}`)).json.commit.id
  const alice = await Browser.of(forge, 'alice')
  const carol = await Browser.of(forge, 'carol')
  const head = await headOf()

  const page = (await alice.get(at)).text
  assert.match(page, /<del>line 3\n<\/del><ins>three\n<\/ins><ins>more\n<\/ins>/)
  assert.match(page, /3 suggestions can be applied/)
  assert.doesNotMatch((await carol.get(at)).text, /name="comment"|action="[^"]*\/suggestions/)
  const send = (person: Browser, fields: Record<string, string | readonly string[]>) =>
    person.submit(at, '/suggestions"', fields)
  const foreign = { _csrf: await carol.csrf('/user/settings'), comment: [three] }
  assert.equal((await carol.post(`${at}/suggestions`, foreign)).status, 403)
  assert.equal((await send(alice, {})).status, 422)
  assert.equal((await send(alice, { comment: [three, '999999'] })).status, 404)
  assert.equal(await headOf(), head)

  const done = await send(alice, { comment: [three, nine], message: 'Shorten the lines' })
  assert.deepEqual([done.status, done.headers.get('location')], [303, at])
  const { json: commits } = await forge.as('alice').get(`${repo.api}/commits?sha=${pull.branch}&limit=2`)
  assert.deepEqual(
    commits.map((each: { sha: string; commit: { message: string } }) => [
      each.commit.message.trim(),
      each.sha === head,
    ]),
    [
      ['Shorten the lines', false],
      [commits[1].commit.message.trim(), true],
    ],
  )
  const { json } = await forge.as('alice').get(`${repo.api}/contents/many.txt?ref=${pull.branch}`)
  const now = [...lines.slice(0, 2), 'three', 'more', ...lines.slice(3, 8), 'nine', ...lines.slice(9)]
  assert.equal(Buffer.from(json.content, 'base64').toString(), `${now.join('\n')}\n`)

  // One that no longer applies refuses all.
  const alone = await headOf()
  const { _csrf } = hiddenFields((await alice.get(at)).text, `/suggestions/${one}`)
  const stale = await alice.post(`${at}/suggestions`, {
    _csrf: _csrf ?? '',
    comment: [one, nine],
    message: 'Too late now',
  })
  assert.equal(stale.status, 409)
  assert.match(stale.text, /The line has changed since the suggestion/)
  assert.match(stale.text, /Too late now/, 'the message is not lost')
  assert.doesNotMatch(stale.text, /class="diff-files"/)
  const csrf = _csrf ?? ''
  const fields = { _csrf: csrf, comment: [one, nine], message: 'Too late now', from: 'files' }
  const fromFiles = await alice.post(`${at}/suggestions`, fields)
  const single = await alice.post(`${at}/suggestions/${nine}`, { _csrf: csrf, from: 'files' })
  for (const { status, text } of [fromFiles, single]) {
    assert.equal(status, 409)
    assert.match(text, /class="diff-files"/, 'the changed files, where the form was')
  }
  assert.match(fromFiles.text, /Too late now/)
  assert.equal(await headOf(), alone)
  assert.match((await alice.get(`${at}/files?file=other.txt`)).text, new RegExp(`/suggestions/${one}"`))
})

test('applyTheSuggestions: two suggestions for the same line are refused', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const { pull, at } = await withPull(forge)
  const path = `${pull.branch}.txt`
  const bodies = ['```suggestion\nhis\n```', '```suggestion\nhers\n```']
  const comments = bodies.map((body) => ({ path, new_position: 1, body }))
  await forge.as('bob').must('POST', `${pull.api}/reviews`, { event: 'COMMENT', comments })
  const alice = await Browser.of(forge, 'alice')
  const ids = [...(await alice.get(at)).text.matchAll(/name="comment" value="(\d+)"/g)].map(([, id = '']) => id)
  assert.equal(ids.length, 2)
  const refused = await alice.submit(at, '/suggestions"', { comment: ids })
  assert.equal(refused.status, 409)
  assert.match(refused.text, /Two of the suggestions change the same line/)
  assert.equal(refused.text.match(/name="comment"[^>]* checked/g)?.length, 2, 'the choice is kept')
})

test('pullPage: a suggestion whose line a push has changed cannot be applied', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const { repo, pull, at } = await withPull(forge)
  const path = `${pull.branch}.txt`
  const comments = [{ path, new_position: 1, body: '```suggestion\nother\n```' }]
  await forge.as('bob').must('POST', `${pull.api}/reviews`, { event: 'COMMENT', comments })
  const alice = await Browser.of(forge, 'alice')
  assert.match((await alice.get(at)).text, /\/suggestions\/\d+"/)
  await commitFiles(forge, repo, pull.branch, { [path]: 'changed\n' })
  await forge.settle()
  assert.doesNotMatch((await alice.get(at)).text, /\/suggestions\/\d+"/)
})

test('pullPage: a review that was continued much later is shown once, at its end', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const { repo, pull, at } = await withPull(forge)
  const path = `${pull.branch}.txt`
  const addLine = (body: string) =>
    forge.as('bob').must('POST', `${pull.api}/reviews`, { comments: [{ path, new_position: 1, body }] })
  await addLine('begun early')
  for (let count = 0; count < 65; count++) {
    await forge.as('alice').must('POST', `${repo.api}/issues/${pull.number}/comments`, { body: `comment ${count}` })
  }
  await addLine('continued late')
  const bob = await Browser.of(forge, 'bob')
  const newest = (await bob.get(at)).text
  assert.match(newest, /begun early[^]*continued late/)
  const earlier = (await bob.get(`${at}?before=${/before=(\d+)/.exec(newest)?.[1]}`)).text
  assert.match(earlier, /comment 3</)
  assert.doesNotMatch(earlier, /begun early|review-entry/)
})

test('pullFilesPage: a locked pull request offers readers no form that would be refused', async () => {
  await using forge = await startForge({ users: ['alice', 'bob', 'carol'] })
  const { pull, at } = await withPull(forge)
  const files = `${at}/files?file=${pull.branch}.txt&line=0-R1`
  const [bob, carol] = await Promise.all(['bob', 'carol'].map((name) => Browser.of(forge, name)))
  const forms = /action="[^"]*\/files\/reviews\/(?:comments|submit)"/
  assert.match((await carol?.get(files))?.text ?? '', forms)
  const alice = await Browser.of(forge, 'alice')
  assert.equal((await alice.submit(at, `/issues/${pull.number}/lock`)).status, 303)
  assert.doesNotMatch((await carol?.get(files))?.text ?? '', forms)
  assert.match((await bob?.get(files))?.text ?? '', forms)
})
