import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Browser } from '../../testing/browser.ts'
import { Clone } from '../../testing/clone.ts'
import { startForge } from '../../testing/forge.ts'
import { commitFiles } from '../../testing/given-pull.ts'
import { SshFolder } from '../../testing/ssh.ts'
import { withPull } from './pull.test-support.ts'

test('pullPage, pullCommitsPage, pullFilesPage: a private repository does not exist for strangers and guests', async () => {
  await using forge = await startForge({ users: ['alice', 'bob', 'carol'] })
  const { at } = await withPull(forge, { private: true })
  for (const browser of [new Browser(forge), await Browser.of(forge, 'carol')]) {
    for (const path of [at, `${at}/commits`, `${at}/files`]) assert.equal((await browser.get(path)).status, 404, path)
  }
  const bob = await Browser.of(forge, 'bob')
  for (const path of [at, `${at}/commits`, `${at}/files`]) assert.equal((await bob.get(path)).status, 200, path)
})

test('pullPage: shows title, branches and what blocks the merge; the number of an issue leads to the issue', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const { repo, pull, at } = await withPull(forge)
  const bob = await Browser.of(forge, 'bob')
  const { text } = await bob.get(at)
  assert.match(text, new RegExp(`Change ${pull.branch}`))
  assert.match(text, /This pull request can be merged/)
  await forge.as('alice').must('PATCH', pull.api, { title: 'WIP: <b>later</b>' })
  const draft = (await bob.get(at)).text
  assert.match(draft, /This is a draft/)
  assert.doesNotMatch(draft, /<b>later/)
  const issue = await forge.given.issue({ repo })
  const { number } = (await forge.as('alice').get(issue.api)).json
  const moved = await bob.get(`/${repo.fullName}/pulls/${number}`)
  assert.deepEqual([moved.status, moved.headers.get('location')], [303, `/${repo.fullName}/issues/${number}`])
  assert.equal((await bob.get(`/${repo.fullName}/pulls/99`)).status, 404)
})

test('pullCommitsPage, pullFilesPage: show commits, lines in both layouts, and one file with more context', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const { repo, pull, at } = await withPull(forge)
  await commitFiles(forge, repo, pull.branch, { 'README.md': '<script>alert(1)</script>\n' }, { message: 'say & more' })
  const bob = await Browser.of(forge, 'bob')
  assert.match((await bob.get(`${at}/commits`)).text, /say &amp; more/)
  const unified = (await bob.get(`${at}/files`)).text
  assert.match(unified, /id="diff-\d+-R1"/)
  assert.doesNotMatch(unified, /<script>alert/)
  assert.match((await bob.get(`${at}/files?style=split`)).text, /class="diff-lines split"/)
  await commitFiles(forge, repo, pull.branch, { 'a.ts': 'const one = 1\n' })
  assert.match((await bob.get(`${at}/files`)).text, /<span class="hljs-keyword">const<\/span> one/)
  const only = (await bob.get(`${at}/files?file=README.md&context=100000`)).text
  assert.equal(only.match(/<turbo-frame id="diff-/g)?.length, 1)
})

test('pullPage: reviewers are in the line of what is set, each with the newest review', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const { pull, at } = await withPull(forge)
  const line = async () =>
    /<details class="side-details"><summary>(.*?)<\/summary>/s.exec((await new Browser(forge).get(at)).text)?.[1] ?? ''
  assert.doesNotMatch(await line(), /bob/)
  await forge.as('alice').must('POST', `${pull.api}/requested_reviewers`, { reviewers: ['bob'] })
  assert.match(await line(), /aria-label="Reviewers:".*bob.*aria-label="Waiting for the review"/s)
  await forge.as('bob').must('POST', `${pull.api}/reviews`, { event: 'APPROVED' })
  assert.match(await line(), /bob.*aria-label="Approved"/s)
})

test('commitPage, pullCommitsPage: signatures are said to be of an account, of an unknown key, or missing', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  using folder = new SshFolder(forge)
  using clone = await Clone.of(forge, 'alice', repo.fullName)
  const key = await folder.newKey()
  const signing = ['-c', 'gpg.format=ssh', '-c', `user.signingKey=${key.file}`]
  await clone.must('switch', '-q', '-c', 'signed')
  await clone.must('commit', '-q', '--allow-empty', '-m', 'plain')
  await clone.must(...signing, 'commit', '-q', '-S', '--allow-empty', '-m', 'signed')
  await clone.must('push', '-q', 'origin', 'signed')
  const oid = await clone.must('rev-parse', 'HEAD')
  const { number } = (
    await forge.as('alice').must('POST', `${repo.api}/pulls`, { base: 'main', head: 'signed', title: 'Signed' })
  ).json
  await forge.as('alice').must('POST', `${repo.api}/statuses/${oid}`, { state: 'failure', context: 'test' })
  const guest = new Browser(forge)
  const list = async () => (await guest.get(`/${repo.fullName}/pulls/${number}/commits`)).text
  const commit = async (name: string) => (await guest.get(`/${repo.fullName}/commit/${name}`)).text
  assert.equal((await list()).match(/title="Signed with an unknown key"/g)?.length, 1)
  assert.match(await list(), /title="0 of 1 check passed"/)
  assert.match(await commit(oid), /class="signature muted">[^]*?Signed with an unknown key/)
  const { fingerprint } = (await forge.as('alice').must('POST', '/user/keys', { title: 'k', key: key.content })).json
  assert.match(await list(), /title="Verified signature by alice"/)
  const shown = await commit(oid)
  assert.match(shown, /class="signature good-text">[^]*?Verified signature by alice/)
  assert.ok(shown.includes(`key ${fingerprint}`))
  assert.doesNotMatch(await commit(await clone.must('rev-parse', 'HEAD~1')), /class="signature/)
})

test('pullPage: with conflicts, the box offers no update and no merge', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const { repo, pull, at } = await withPull(forge)
  const alice = await Browser.of(forge, 'alice')
  await commitFiles(forge, repo, 'main', { 'other.txt': 'x\n' })
  assert.match((await alice.get(at)).text, /Update branch/)
  await commitFiles(forge, repo, pull.branch, { 'README.md': 'one\n' })
  await commitFiles(forge, repo, 'main', { 'README.md': 'two\n' })
  await forge.settle()
  const { text } = await alice.get(at)
  assert.match(text, /The branches conflict/)
  assert.doesNotMatch(text, /Update branch/)
  assert.match(text, /<button[^>]*disabled[^>]*>(?:<svg[^]*?<\/svg>)?Merge</)
})

test('retitlePull, changeDraft, changeReviewers, commentOnPull: the author edits; a stranger may not', async () => {
  await using forge = await startForge({ users: ['alice', 'bob', 'carol'] })
  const { at, json, pull } = await withPull(forge)
  const carol = await Browser.of(forge, 'carol')
  const csrf = await carol.csrf('/user/settings')
  for (const [part, fields] of Object.entries<Record<string, string>>({
    title: { title: 'x' },
    draft: { draft: 'true' },
  })) {
    assert.equal((await carol.post(`${at}/${part}`, { _csrf: csrf, ...fields })).status, 403, part)
  }
  assert.equal((await carol.post(`${at}/reviewers`, { _csrf: csrf, reviewer: 'bob' })).status, 422)
  const alice = await Browser.of(forge, 'alice')
  assert.equal((await alice.submit(at, '/title', { title: 'Better', base: 'main' })).status, 303)
  assert.equal((await json()).title, 'Better')
  assert.equal((await alice.submit(at, '/draft')).status, 303)
  assert.deepEqual([(await json()).draft, (await json()).title], [true, 'WIP: Better'])
  assert.equal((await alice.submit(at, '/draft')).status, 303)
  assert.equal((await json()).title, 'Better')
  assert.equal((await alice.submit(at, '/reviewers', { reviewer: 'nobody-here' })).status, 404)
  assert.equal((await alice.submit(at, '/reviewers', { reviewer: 'bob' })).status, 303)
  assert.deepEqual(
    (await json()).requested_reviewers.map((user: { login: string }) => user.login),
    ['bob'],
  )
  assert.equal((await alice.submit(at, '/comments"', { content: '  ' })).status, 422)
  assert.equal((await carol.submit(at, '/comments"', { content: 'Looks good' })).status, 303)
  assert.match((await alice.get(at)).text, /Looks good/)
  assert.equal((await alice.submit(at, '/comments"', { state: 'closed', content: '' })).status, 303)
  assert.equal((await json()).state, 'closed')
  assert.equal((await alice.submit(at, '/comments"', { state: 'open', content: 'Again' })).status, 303)
  assert.equal((await json()).state, 'open')
  assert.equal((await forge.guest.get(pull.api)).json.comments, 2)
})

test('pullPage: writers change what belongs to a pull request at its side, readers see it, and a refusal says why', async () => {
  await using forge = await startForge({ users: ['alice', 'bob', 'carol'] })
  const { repo, pull, at, json } = await withPull(forge)
  const label = await forge.as('alice').must('POST', `${repo.api}/labels`, { name: 'bug', color: '#ff0000' })
  const milestone = await forge.as('alice').must('POST', `${repo.api}/milestones`, { title: 'v1' })
  await forge.as('alice').must('POST', `${repo.api}/issues`, { title: 'first this' })
  const { number } = (await forge.as('alice').get(`${repo.api}/issues?type=issues`)).json[0]
  const reader = (await (await Browser.of(forge, 'carol')).get(at)).text
  assert.match(reader, /Milestone/)
  assert.doesNotMatch(reader, /action="[^"]*\/(?:labels|milestone|lock|delete|reviewers)"/)
  const bob = await Browser.of(forge, 'bob')
  const acts = [
    ['labels', { label: String(label.json.id) }],
    ['milestone', { milestone: String(milestone.json.id) }],
    ['assignees', { assignee: 'bob' }],
    ['deadline', { due: '2030-01-31' }],
    ['dependencies', { other: `#${number}` }],
    ['lock', { on: 'true' }],
    ['subscription', { on: 'false' }],
    ['time', { time: '1h' }],
  ] as const
  for (const [part, fields] of acts) {
    const sent = await bob.submit(at, `/issues/${pull.number}/${part}"`, fields)
    assert.deepEqual([sent.status, sent.headers.get('location')], [303, at], part)
  }
  const now = await json()
  assert.deepEqual(
    [now.labels[0].name, now.milestone.title, now.assignees[0].login, now.due_date.slice(0, 10), now.is_locked],
    ['bug', 'v1', 'bob', '2030-01-31', true],
  )
  const shown = (await bob.get(at)).text
  assert.match(shown, /first this/)
  assert.match(shown, /Unlock conversation/)
  const wrong = await bob.submit(at, `/issues/${pull.number}/time"`, { time: 'long' })
  assert.equal(wrong.status, 422)
  assert.match(wrong.text, new RegExp(`Change ${pull.branch}`))
})

test('changeReviewers: the choice of reviewers asks and takes requests back; teams can be asked', async () => {
  await using forge = await startForge({ users: ['alice', 'bob', 'carol'] })
  const { at, json } = await withPull(forge)
  const requestedLogins = async () =>
    (await json()).requested_reviewers.map((person: { login: string }) => person.login)
  const alice = await Browser.of(forge, 'alice')
  const choose = (fields: Record<string, string | readonly string[]>) =>
    alice.submit(at, '/reviewers"', { set: 'true', ...fields })
  assert.equal((await choose({ reviewer: ['bob', 'carol'] })).status, 303)
  assert.deepEqual((await requestedLogins()).toSorted(), ['bob', 'carol'])
  assert.equal((await choose({ reviewer: 'carol' })).status, 303)
  assert.deepEqual(await requestedLogins(), ['carol'])
  assert.equal((await choose({ reviewer: ['carol', 'alice'] })).status, 422)
  assert.deepEqual(await requestedLogins(), ['carol'])
  const carol = await Browser.of(forge, 'carol')
  assert.equal((await carol.submit(at, '/reviewers"')).status, 303)
  assert.deepEqual(await requestedLogins(), [])
})

test('pullPage: the author and writers edit texts in place, and everybody may react', async () => {
  await using forge = await startForge({ users: ['alice', 'bob', 'carol'] })
  const { pull, at, json } = await withPull(forge)
  const carol = await Browser.of(forge, 'carol')
  await carol.submit(at, '/comments"', { content: 'first words' })
  const [, id] = [...(await carol.get(at)).text.matchAll(/id="issuecomment-(\d+)"/g)].at(-1) ?? []
  const of = `/issues/${pull.number}/comments/${id}`
  assert.doesNotMatch((await (await Browser.of(forge, 'carol')).get(at)).text, /edit=issue-/)
  const edited = await carol.submit(`${at}?edit=issuecomment-${id}`, `${of}/content`, { content: 'better words' })
  assert.deepEqual([edited.status, edited.headers.get('location')], [303, `${at}#issuecomment-${id}`])
  assert.match((await carol.get(at)).text, /better words/)
  assert.match((await carol.get(`/${at.split('/').slice(1, 3).join('/')}${of}/history`)).text, /first words/)
  const bob = await Browser.of(forge, 'bob')
  assert.equal((await bob.submit(at, `${of}/reactions`, { content: 'heart' })).status, 303)
  assert.match((await bob.get(at)).text, /aria-pressed="true"/)
  assert.equal((await bob.submit(`${at}?edit=issue-${pull.number}`, `/content`, { content: 'By bob' })).status, 303)
  assert.equal((await json()).body, 'By bob')
  assert.equal((await bob.submit(at, `${of}/delete`)).status, 303)
  assert.equal((await json()).comments, 0)
})

test('mergeThePull, updateTheHead: a reader may not merge; a writer updates the branch and merges', async () => {
  await using forge = await startForge({ users: ['alice', 'bob', 'carol'] })
  const { repo, at, json } = await withPull(forge)
  await commitFiles(forge, repo, 'main', { 'other.txt': 'other\n' })
  const carol = await Browser.of(forge, 'carol')
  const csrf = await carol.csrf('/user/settings')
  assert.equal((await carol.post(`${at}/merge`, { _csrf: csrf, style: 'merge' })).status, 405)
  assert.equal((await carol.post(`${at}/update`, { _csrf: csrf })).status, 403)
  assert.doesNotMatch((await carol.get(at)).text, /name="head_commit_id"/)
  const bob = await Browser.of(forge, 'bob')
  assert.match((await bob.get(at)).text, /lacks commits of main/)
  const before = (await json()).head.sha
  assert.equal((await bob.submit(at, '/update')).status, 303)
  assert.notEqual((await json()).head.sha, before)
  const stale = await bob.submit(at, '/merge', { style: 'merge', head_commit_id: before })
  assert.equal(stale.status, 409)
  assert.equal((await bob.submit(at, '/merge', { style: 'squash', title: 'One commit' })).status, 303)
  assert.equal((await json()).merged, true)
  assert.match((await bob.get(at)).text, /merged this as/)
  const newest = (await forge.as('alice').get(`${repo.api}/commits?limit=1`)).json[0]
  assert.match(newest.commit.message, /^One commit/)
})

test('deleteTheHead: whoever may delete the branch of a merged pull request has a button while it is unchanged', async () => {
  await using forge = await startForge({ users: ['alice', 'bob', 'carol'] })
  const { repo, at, json } = await withPull(forge)
  const branch = (await json()).head.ref as string
  const [bob, carol] = [await Browser.of(forge, 'bob'), await Browser.of(forge, 'carol')]
  const press = async (browser: Browser) =>
    browser.post(`${at}/branch/delete`, { _csrf: await browser.csrf('/user/settings') })
  const offers = async (browser: Browser) => (await browser.get(at)).text.includes(`${at}/branch/delete`)
  assert.deepEqual([(await press(bob)).status, await offers(bob)], [409, false], 'it is not merged')
  assert.equal((await bob.submit(at, '/merge', { style: 'merge' })).status, 303)
  assert.deepEqual([(await press(carol)).status, await offers(carol)], [403, false])
  assert.equal((await press(new Browser(forge))).status, 303)
  assert.equal(await offers(bob), true)

  await commitFiles(forge, repo, branch, { 'later.txt': 'later\n' })
  await forge.settle()
  assert.deepEqual([(await press(bob)).status, await offers(bob)], [409, false], 'it has another commit')
  assert.equal((await forge.as('alice').get(`${repo.api}/branches/${branch}`)).status, 200)
})

test('deleteTheHead: the branch is deleted, and the timeline says so', async () => {
  await using forge = await startForge({ users: ['alice', 'bob', 'carol'] })
  const { repo, at, json } = await withPull(forge)
  const branch = (await json()).head.ref as string
  const bob = await Browser.of(forge, 'bob')
  assert.equal((await bob.submit(at, '/merge', { style: 'merge' })).status, 303)
  assert.equal((await bob.submit(at, '/branch/delete')).status, 303)
  await forge.settle()
  assert.equal((await forge.as('alice').get(`${repo.api}/branches/${branch}`)).status, 404)
  const timeline = (await forge.as('alice').get(`${repo.api}/issues/${(await json()).number}/timeline`)).json
  assert.ok(
    timeline.some(
      ({ type, old_ref }: { type: string; old_ref: string }) => type === 'delete_branch' && old_ref === branch,
    ),
  )
})

test('mergeThePull, cancelTheMerge: a merge waits for a required check and can be cancelled', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const { repo, at } = await withPull(forge)
  await forge.as('alice').must('POST', `${repo.api}/branch_protections`, {
    rule_name: 'main',
    enable_status_check: true,
    status_check_contexts: ['build'],
  })
  const alice = await Browser.of(forge, 'alice')
  assert.match((await alice.get(at)).text, /build has not reported yet/)
  assert.equal((await alice.submit(at, '/merge', { style: 'merge' })).status, 405)
  assert.equal((await alice.submit(at, '/merge', { style: 'merge', when: 'checks' })).status, 303)
  assert.match((await alice.get(at)).text, /Merges by itself/)
  assert.equal((await alice.submit(at, '/merge/cancel')).status, 303)
  assert.doesNotMatch((await alice.get(at)).text, /Merges by itself/)
})

test('pullPage, pullPushPage: a forced push names both heads and leads to the comparison of their commits', async () => {
  await using forge = await startForge({ users: ['alice', 'carol'] })
  const repo = await forge.given.repo({ owner: 'alice', private: true })
  const textOf = (last: string) => `${Array.from({ length: 20 }, (_, at) => `line ${at}`).join('\n')}\n${last}\n`
  const first = await commitFiles(forge, repo, 'topic', { 'a.txt': textOf('one') }, { message: 'Add a' })
  const { json: pull } = await forge
    .as('alice')
    .must('POST', `${repo.api}/pulls`, { head: 'topic', base: 'main', title: 'Topic' })
  const at = `/${repo.fullName}/pulls/${pull.number}`
  // The same change on a newer base, with another text.
  await commitFiles(forge, repo, 'main', { 'base.txt': 'newer\n' })
  const second = await commitFiles(forge, repo, 'other', { 'a.txt': textOf('two') }, { message: 'Add a' })
  using clone = await Clone.of(forge, 'alice', repo.fullName)
  await clone.must('push', '-q', '--force', 'origin', `${second}:refs/heads/topic`)
  await forge.settle()

  const alice = await Browser.of(forge, 'alice')
  const { text } = await alice.get(at)
  const line = /force-pushed the branch[^]*?Compare the commits/.exec(text)?.[0] ?? ''
  const [path] = /\/[^"]*\/pushes\/\d+/.exec(line) ?? ['']
  assert.ok(line.includes(`/commit/${first}"`) && line.includes(`/commit/${second}"`), line || text.slice(-20_000))
  const push = await alice.get(path)
  assert.equal(push.status, 200)
  assert.match(push.text, /What a forced push changed[^]*Add a[^]*Changed/)
  assert.match(push.text, /<span class="removed">[^<]*-\+one/)
  assert.equal((await alice.get(`${at}/pushes/${Number(path.split('/').at(-1)) + 1}`)).status, 404)
  const issue = (await forge.as('alice').must('POST', `${repo.api}/issues`, { title: 'An issue' })).json
  assert.equal((await alice.get(path.replace(/pulls\/\d+/, `pulls/${issue.number}`))).status, 303)
  assert.equal((await (await Browser.of(forge, 'carol')).get(path)).status, 404)
})

test('openNewPull: opens a pull request or a draft; a missing branch is refused', async () => {
  await using forge = await startForge({ users: ['alice', 'carol'] })
  const repo = await forge.given.repo({ owner: 'alice', private: true })
  await commitFiles(forge, repo, 'topic', { 'a.txt': 'a\n' }, { from: 'main' })
  const to = (head: string) => `/${repo.fullName}/compare/main...${head}`
  const carol = await Browser.of(forge, 'carol')
  const fields = { title: 'A change', content: 'Why', draft: 'true' }
  assert.equal((await carol.post(to('topic'), { _csrf: await carol.csrf('/user/settings'), ...fields })).status, 404)
  const alice = await Browser.of(forge, 'alice')
  const csrf = await alice.csrf('/user/settings')
  assert.equal((await alice.post(to('nothing'), { _csrf: csrf, ...fields })).status, 404)
  const made = await alice.post(to('topic'), { _csrf: csrf, ...fields })
  const [, number] = /\/pulls\/(\d+)$/.exec(made.headers.get('location') ?? '') ?? []
  assert.ok(number)
  const { json } = await forge.as('alice').get(`${repo.api}/pulls/${number}`)
  assert.deepEqual([json.title, json.draft, json.body], ['WIP: A change', true, 'Why'])
})

test('pullFilesPage: after a rewrite, the changes since a review pair the commits', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const { repo, pull, at } = await withPull(forge)
  await forge.as('bob').must('POST', `${pull.api}/reviews`, { event: 'COMMENT', body: 'read' })
  const bob = await Browser.of(forge, 'bob')
  using clone = await Clone.of(forge, 'alice', repo.fullName)
  await clone.must('checkout', '-q', pull.branch)
  await clone.commit('later.txt')
  await clone.must('push', '-q', 'origin', pull.branch)
  await forge.settle()
  const grown = await bob.get(`${at}/files?since=review`)
  assert.match(grown.text, /These are the changes since you reviewed/)
  assert.doesNotMatch(grown.text, /The commits were rewritten/, 'commits were only added')
  await clone.must('reset', '-q', '--hard', 'HEAD~1')
  await clone.must('commit', '-q', '--amend', '-m', 'Say <b>more</b>')
  await clone.commit('other.txt')
  await clone.must('push', '-q', '--force', 'origin', pull.branch)
  await forge.settle()
  const { status, text } = await bob.get(`${at}/files?since=review`)
  assert.equal(status, 200)
  assert.match(text, /The commits were rewritten/)
  assert.match(text, /Say &lt;b>more|Say &lt;b&gt;more/)
  for (const state of ['Changed', 'New']) assert.match(text, new RegExp(`<span class="tag[^"]*">${state}<`))
})

test('repositoryPulls, changePulls: only people who may read the code see pull requests, as in the API', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const api = forge.as('alice')
  await forge.given.org({ owner: 'alice', name: 'guild' })
  await api.must('POST', '/orgs/guild/repos', { name: 'tool', auto_init: true, private: true })
  const at = '/guild/tool'
  const units_map = { 'repo.pulls': 'write', 'repo.issues': 'read' }
  const { json: team } = await api.must('POST', '/orgs/guild/teams', { name: 'askers', units_map })
  await api.must('PUT', `/teams/${team.id}/members/bob`)
  await api.must('PUT', `/teams/${team.id}/repos/guild/tool`)
  const bob = await Browser.of(forge, 'bob')
  assert.equal((await forge.as('bob').get('/repos/guild/tool/pulls')).status, 403)
  assert.equal((await bob.get(`${at}/pulls`)).status, 403)
  assert.equal((await bob.get(at)).headers.get('location'), `${at}/issues`)
  assert.doesNotMatch((await bob.get(`${at}/issues`)).text, /href="\/guild\/tool\/pulls"/)
})
