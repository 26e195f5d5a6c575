import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Browser, unescaped } from '../../../testing/browser.ts'
import { Clone } from '../../../testing/clone.ts'
import { startForge, type Forge } from '../../../testing/forge.ts'
import { collaborator, commitFiles } from '../../../testing/given-pull.ts'
import { base64 } from '../../../testing/samples.ts'

/** Forks a repository of alice as bob, and commits to a branch of the fork. */
async function forked(forge: Forge, options: { readonly private?: boolean } = {}) {
  const repo = await forge.given.repo({ owner: 'alice', name: 'ingot', ...options })
  if (options.private) await collaborator(forge, repo, 'bob', 'read')
  const { json } = await forge.as('bob').must('POST', `${repo.api}/forks`, {})
  const fork = { ...repo, owner: 'bob', fullName: json.full_name as string, api: `/repos/${json.full_name}` }
  await commitFiles(forge, fork, 'topic', { 'a.txt': 'a\n' }, { message: 'Add a' })
  await forge.settle()
  return { repo, fork }
}

const location = (answer: { readonly headers: Headers }): string => answer.headers.get('location') ?? ''

test('newComparePage: a branch of a fork is compared with the origin, and a push leads there', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const { repo, fork } = await forked(forge)
  const bob = await Browser.of(forge, 'bob')
  const from = await bob.get(`/${fork.fullName}/compare?head=topic&open=1`)
  assert.deepEqual([from.status, location(from)], [303, `/${repo.fullName}/compare/main...bob%3Atopic?open=1`])
  assert.equal(location(await bob.get(`/${fork.fullName}/compare`)), `/${repo.fullName}/compare/main...bob%3Amain`)
  using clone = await Clone.of(forge, 'bob', fork.fullName)
  await clone.must('checkout', '-q', '-b', 'pushed')
  await clone.commit('b.txt', 'b\n', 'Add b')
  const [hint = ''] = /http\S+/.exec((await clone.git('push', 'origin', 'pushed')).err) ?? []
  const shown = await bob.get(new URL(hint).pathname)
  assert.match(shown.text, /Add b/)
  assert.match(shown.text, /Create pull request/)
  await forge.settle()
  for (const path of [
    `/${fork.fullName}`,
    `/${repo.fullName}`,
    `/${repo.fullName}/pulls`,
    `/${repo.fullName}/compare/main`,
  ]) {
    const { text } = await bob.get(path)
    assert.match(text, /You pushed to/, path)
    assert.ok(text.includes(`/${repo.fullName}/compare/main...bob%3Apushed?open=1`), path)
  }
  assert.doesNotMatch((await forge.guest.get(`/${repo.fullName}`, { site: true })).text, /You pushed to/)
  await forge.as('alice').must('PATCH', repo.api, { archived: true })
  assert.equal(
    location(await bob.get(`/${fork.fullName}/compare?head=topic`)),
    `/${fork.fullName}/compare/main...topic`,
  )
})

test('comparePage, openNewPull: a pull request from a fork, by a reader and by a maintainer', async () => {
  await using forge = await startForge({ users: ['alice', 'bob', 'carol'] })
  const { repo, fork } = await forked(forge)
  await collaborator(forge, repo, 'carol')
  const alice = forge.as('alice')
  const { json: label } = await alice.must('POST', `${repo.api}/labels`, { name: 'kind', color: '#123456' })
  const { json: milestone } = await alice.must('POST', `${repo.api}/milestones`, { title: 'First' })
  const template = '---\ntitle: "Change: "\nlabels: [kind]\n---\n\n## Why\n'
  await alice.must('POST', `${repo.api}/contents/.forgejo/PULL_REQUEST_TEMPLATE.md`, { content: base64(template) })
  const at = `/${repo.fullName}/compare/main...bob%3Atopic`
  const bob = await Browser.of(forge, 'bob')
  const shown = await bob.get(at)
  assert.match(shown.text, /value="Change: Add a"/)
  assert.match(shown.text, /<textarea[^>]*>## Why/)
  assert.match(shown.text, /name="maintainers"/)
  assert.match(shown.text, /name="reviewer"[^>]*value="carol"/)
  for (const name of ['label', 'assignee', 'milestone', 'due']) {
    assert.doesNotMatch(shown.text, new RegExp(`name="${name}"`), `${name} for a reader`)
  }
  const fields = {
    title: 'Take a',
    content: 'Because',
    maintainers: 'true',
    reviewer: ['carol'],
    label: [String(label.id)],
    assignee: ['carol'],
    milestone: String(milestone.id),
  }
  const refused = await bob.submit(at, 'new-pull', { ...fields, title: '  ' })
  assert.equal(refused.status, 422)
  assert.match(refused.text, /<textarea[^>]*>Because/)
  assert.match(refused.text, /<details class="new-pull-part" open/)
  assert.match(refused.text, /id="maintainers" name="maintainers" value="true" checked/)
  assert.match(refused.text, /value="carol" checked/)
  const unknown = await bob.submit(at, 'new-pull', { ...fields, reviewer: ['nobody'] })
  assert.equal(unknown.status, 422)
  assert.match(unknown.text, /<textarea[^>]*>Because/)
  const made = await bob.submit(at, 'new-pull', fields)
  assert.equal(made.status, 303)
  const number = /\d+$/.exec(location(made))?.[0] ?? ''
  const { json } = await alice.get(`${repo.api}/pulls/${number}`)
  assert.deepEqual(
    [json.title, json.allow_maintainer_edit, json.head.repo.full_name, json.labels, json.assignees, json.milestone],
    ['Take a', true, fork.fullName, [], null, null],
  )
  assert.deepEqual(
    json.requested_reviewers.map(({ login }: { login: string }) => login),
    ['carol'],
  )
  const again = await bob.get(at)
  assert.match(
    unescaped(again.text),
    new RegExp(`A pull request is open[\\s\\S]*href="/${repo.fullName}/pulls/${number}"`),
  )
  assert.doesNotMatch(again.text, /Create pull request/)
  const csrf = await bob.csrf('/user/settings')
  const second = await bob.post(at, { _csrf: csrf, title: 'Twice', content: 'kept words' })
  assert.equal(second.status, 409)
  assert.match(second.text, /<textarea[^>]*>kept words/)
  assert.match(second.text, /A pull request is open/)

  const carol = await Browser.of(forge, 'carol')
  await commitFiles(forge, fork, 'other', { 'b.txt': 'b\n' }, { message: 'Add b' })
  const other = `/${repo.fullName}/compare/main...bob%2Fingot%3Aother`
  const page = await carol.get(other)
  assert.doesNotMatch(page.text, /name="maintainers"/)
  assert.match(page.text, new RegExp(`id="label_${label.id}" name="label" value="${label.id}" checked`))
  const byCarol = await carol.submit(other, 'new-pull', {
    title: 'Take b',
    label: [String(label.id)],
    assignee: ['carol'],
    milestone: String(milestone.id),
    due: '2030-01-02',
    maintainers: 'true',
  })
  assert.equal(byCarol.status, 403, 'only the owner of the head opens it to maintainers')
  const opened = await carol.submit(other, 'new-pull', {
    title: 'Take b',
    label: [String(label.id)],
    assignee: ['carol'],
    milestone: String(milestone.id),
    due: '2030-01-02',
  })
  const { json: whole } = await alice.get(`${repo.api}/pulls/${/\d+$/.exec(location(opened))?.[0]}`)
  assert.deepEqual(
    [whole.labels[0].name, whole.assignees[0].login, whole.milestone.title, whole.due_date.slice(0, 10)],
    ['kind', 'carol', 'First', '2030-01-02'],
  )
})

test('comparePage: a private fork and its branches are offered to those who may read it', async () => {
  await using forge = await startForge({ users: ['alice', 'bob', 'carol'] })
  const { repo, fork } = await forked(forge, { private: true })
  await commitFiles(forge, fork, 'secret-plan', { 's.txt': 's\n' })
  await collaborator(forge, repo, 'carol', 'read')
  const [bob, carol] = [await Browser.of(forge, 'bob'), await Browser.of(forge, 'carol')]
  const at = `/${repo.fullName}/compare/main...main?choose=head`
  assert.match((await bob.get(at)).text, /of=bob%2Fingot/)
  assert.match((await bob.get(`${at}&of=bob/ingot`)).text, /secret-plan/)
  for (const path of [at, `${at}&named=bob`]) {
    const { status, text } = await carol.get(path)
    assert.equal(status, 200)
    assert.doesNotMatch(text, /of=bob|secret-plan/, path)
  }
  assert.equal((await carol.get(`${at}&of=bob/ingot`)).status, 404)
  assert.equal((await carol.get(`/${repo.fullName}/compare/main...bob:secret-plan`)).status, 404)
  // Whoever may no longer read the origin learns nothing of it in the fork.
  await forge.as('alice').must('DELETE', `${repo.api}/collaborators/bob`)
  await commitFiles(forge, repo, 'main', { 'later.txt': 'later\n' })
  assert.doesNotMatch((await bob.get(`/${fork.fullName}`)).text, /behind|alice\/ingot/)
  assert.equal((await forge.as('bob').post(`${fork.api}/sync_fork`)).status, 400)
  assert.equal(
    location(await bob.get(`/${fork.fullName}/compare?head=topic`)),
    `/${fork.fullName}/compare/main...topic`,
  )
})

test('comparePage: among many branches and forks, one is found by a part of its name', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const { repo, fork } = await forked(forge)
  using clone = await Clone.of(forge, 'bob', fork.fullName)
  const names = Array.from({ length: 120 }, (_, index) => `work-${index}`)
  await clone.must('push', '-q', 'origin', ...names.map((name) => `HEAD:refs/heads/${name}`))
  await Promise.all(
    Array.from({ length: 30 }, async (_, index) => {
      await forge.account(`dev${index}`)
      await forge.as(`dev${index}`).must('POST', `${repo.api}/forks`, { name: `copy${index}` })
    }),
  )
  await forge.settle()
  const bob = await Browser.of(forge, 'bob')
  const at = `/${repo.fullName}/compare/main...bob%3Atopic`
  const { text } = await bob.get(at)
  assert.match(text, /All branches \(122\)/)
  const first = await bob.get(`${at}?choose=head`)
  assert.match(first.text, /There are more: type/)
  assert.ok(first.text.indexOf('>bob/ingot<') < first.text.indexOf('>dev'), 'the own fork comes first')
  const found = await bob.get(`${at}?choose=head&find=ORK-119`)
  assert.ok(found.text.includes(`href="/${repo.fullName}/compare/main...bob%3Awork-119"`))
  assert.doesNotMatch(found.text, /row-title[^>]*>\s*work-1</)
  assert.match((await bob.get(`${at}?choose=head&find=nothing`)).text, /No branch contains/)
  assert.match((await bob.get(`${at}?choose=head&page=6`)).text, /row-title/)
  const named = await bob.get(`${at}?choose=head&named=dev29/copy29`)
  assert.match(named.text, /of=dev29%2Fcopy29/)
  const ofIt = await bob.get(`${at}?choose=head&of=dev29/copy29`)
  assert.ok(ofIt.text.includes(`/${repo.fullName}/compare/main...dev29/copy29%3Amain`))
  const otherBase = await bob.get(`${at}?choose=base&of=dev29/copy29`)
  assert.ok(otherBase.text.includes('/dev29/copy29/compare/main...bob/ingot%3Atopic'))
  const ofForks = await bob.get('/dev29/copy29/compare/main...bob%2Fingot%3Atopic')
  assert.equal(ofForks.status, 200)
  assert.match(ofForks.text, /Add a/)
})

test('repositoryHomePage: a fork says how it stands to its origin and what can be done', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const { repo, fork } = await forked(forge)
  const bob = await Browser.of(forge, 'bob')
  const home = async () => unescaped((await bob.get(`/${fork.fullName}`)).text)
  assert.doesNotMatch(await home(), /ahead of|behind/)
  await commitFiles(forge, repo, 'main', { 'one.txt': '1\n', 'two.txt': '2\n' })
  assert.match(await home(), /2 commits behind[\s\S]*alice\/ingot[\s\S]*Bring up to date/)
  assert.equal((await bob.submit(`/${fork.fullName}`, 'sync_fork')).status, 303)
  assert.doesNotMatch(await home(), /commits behind/)
  await commitFiles(forge, repo, 'main', { 'three.txt': '3\n' })
  await commitFiles(forge, fork, 'main', { 'x.txt': 'x\n', 'y.txt': 'y\n' })
  const diverged = await home()
  assert.match(diverged, /2 commits ahead of[\s\S]*alice\/ingot[\s\S]*, 1 behind/)
  assert.doesNotMatch(diverged, /Bring up to date/)
  assert.ok(diverged.includes(`/${repo.fullName}/compare/main...bob%3Amain?open=1`))
  assert.match((await bob.get(`/${fork.fullName}/compare/main...alice%3Amain`)).text, /three\.txt/)
  await forge.as('alice').must('DELETE', repo.api)
  assert.doesNotMatch(await home(), /ahead of|behind/)
  assert.equal(location(await bob.get(`/${fork.fullName}/compare`)), `/${fork.fullName}/compare/main`)
})
