import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startForge } from '../testing/forge.ts'
import { givenPull } from '../testing/given-pull.ts'
import { Clone } from '../testing/clone.ts'

test('the output of a push shows the URL of its pull request or of creating one', async () => {
  await using forge = await startForge()
  const pull = await givenPull(forge)
  using work = await Clone.of(forge, 'alice', pull.repo.fullName)
  await work.git('checkout', '-q', '-b', 'new')
  await work.commit('a.txt', 'a\n', 'a')
  const made = await work.git('push', 'origin', 'new')
  assert.match(
    made.err,
    new RegExp(`Create a new pull request for 'new':[^]*${pull.repo.fullName}/compare/main\\.\\.\\.new`),
  )
  await work.git('checkout', '-q', pull.branch)
  await work.commit('b.txt', 'b\n', 'b')
  const more = await work.git('push', 'origin', pull.branch)
  assert.match(more.err, new RegExp(`Visit the existing pull request:[^]*/pulls/${pull.number}\\b`))
  await work.git('checkout', '-q', 'main')
  await work.commit('c.txt', 'c\n', 'c')
  assert.doesNotMatch((await work.git('push', 'origin', 'main')).err, /pull request/)
})

test('the output of a push of thirty branches shows a URL for each', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  using work = await Clone.of(forge, 'alice', repo.fullName)
  await work.commit('a.txt', 'a\n', 'a')
  const names = Array.from({ length: 30 }, (_, index) => `topic-${index}`)
  const pushed = await work.git('push', 'origin', ...names.map((name) => `HEAD:refs/heads/${name}`))
  assert.equal(pushed.code, 0, pushed.err)
  for (const name of names) assert.ok(pushed.err.includes(`Create a new pull request for '${name}':`), name)
})

test('push, creation and rename refuse a branch named HEAD', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  const alice = forge.as('alice')
  using work = await Clone.of(forge, 'alice', repo.fullName)
  await work.commit('a.txt', 'a\n', 'a')
  const pushed = await work.git('push', 'origin', 'HEAD:refs/heads/HEAD')
  assert.notEqual(pushed.code, 0)
  assert.match(pushed.err, /a branch cannot be named HEAD/)
  await alice.must('POST', `${repo.api}/branches`, { new_branch_name: 'other' })
  const answers = [
    await alice.post(`${repo.api}/branches`, { new_branch_name: 'HEAD' }),
    await alice.patch(`${repo.api}/branches/other`, { name: 'HEAD' }),
    await alice.post(`${repo.api}/contents/b.txt`, { content: 'Yg==', new_branch: 'HEAD' }),
    await alice.patch(repo.api, { default_branch: 'HEAD' }),
  ]
  for (const { status, text } of answers) assert.ok(status === 422 || status === 404, `${status} ${text}`)
  const { json } = await forge.guest.get(`${repo.api}/branches`)
  assert.deepEqual(json.map(({ name }: { name: string }) => name).toSorted(), ['main', 'other'])
})

test('the timeline marks a push that rewrites the head as forced', async () => {
  await using forge = await startForge()
  const pull = await givenPull(forge)
  using work = await Clone.of(forge, 'alice', pull.repo.fullName)
  await work.git('checkout', '-q', pull.branch)
  await work.git('commit', '-q', '--amend', '-m', 'rewritten')
  await work.must('push', '-q', '-f', 'origin', pull.branch)
  await forge.settle()
  const { json } = await forge.guest.get(`${pull.repo.api}/issues/${pull.number}/timeline`)
  const bodies = json
    .filter((entry: { type: string }) => entry.type === 'pull_push')
    .map((entry: { body: string }) => JSON.parse(entry.body))
  assert.deepEqual(
    bodies.map((body: { is_force_push: boolean }) => body.is_force_push),
    [false, true],
  )
  assert.equal(bodies[1].commit_ids[0], pull.head)
})

test('a push to refs/for opens and updates a pull request without write access', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  using work = await Clone.of(forge, 'bob', repo.fullName)
  await work.commit('a.txt', 'a\n', 'First\n\nWhy it is.')
  assert.notEqual((await work.git('push', 'origin', 'HEAD:main')).code, 0)
  assert.notEqual((await work.git('push', 'origin', 'HEAD:refs/for/main')).code, 0, 'without a topic')
  assert.notEqual((await work.git('push', 'origin', 'HEAD:refs/for/none/fix')).code, 0)
  const made = await work.git('push', 'origin', 'HEAD:refs/for/main/fix')
  assert.equal(made.code, 0, made.err)
  assert.match(made.err, /Visit the new pull request:[^]*\/pulls\/1\b/)
  const first = (await forge.guest.get(`${repo.api}/pulls/1`)).json
  assert.deepEqual(
    [first.title, first.body, first.flow, first.user.login, first.head.label, first.head.ref, first.mergeable],
    ['First', 'Why it is.\n', 1, 'bob', '', 'refs/pull/1/head', true],
  )
  assert.notEqual((await work.git('push', 'origin', 'HEAD:refs/for/main/fix')).code, 0, 'the same commit')
  await work.commit('b.txt', 'b\n', 'Second')
  const moved = await work.git('push', 'origin', 'HEAD:refs/for/main/fix')
  assert.match(moved.err, /Visit the existing pull request:/)
  assert.equal((await forge.guest.get(`${repo.api}/pulls/1/commits`)).json.length, 2)
  await work.git('commit', '-q', '--amend', '-m', 'Other')
  assert.notEqual((await work.git('push', 'origin', 'HEAD:refs/for/main/fix')).code, 0, 'rewritten')
  await work.must('push', '-o', 'force-push=true', 'origin', 'HEAD:refs/for/main/fix')
  assert.equal((await forge.as('alice').post(`${repo.api}/pulls/1/update`)).status, 403)
  assert.equal((await forge.as('alice').post(`${repo.api}/pulls/1/merge`, { Do: 'rebase' })).status, 200)
})

test('maintainers of the base may push only to a head that its author opens to them', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  await forge.as('bob').must('POST', `${repo.api}/forks`, {})
  const fork = { ...repo, owner: 'bob', fullName: `bob/${repo.name}`, api: `/repos/bob/${repo.name}` }
  using bobClone = await Clone.of(forge, 'bob', fork.fullName)
  await bobClone.git('checkout', '-q', '-b', 'topic')
  await bobClone.commit('f.txt', 'f\n', 'fork')
  await bobClone.must('push', '-q', 'origin', 'topic')
  await forge.as('bob').must('POST', `${repo.api}/pulls`, { head: 'bob:topic', base: 'main', title: 'T' })
  using hers = await Clone.of(forge, 'alice', fork.fullName)
  await hers.git('checkout', '-q', 'topic')
  await hers.commit('m.txt', 'm\n', 'maintainer')
  assert.notEqual((await hers.git('push', 'origin', 'topic')).code, 0)
  assert.equal((await forge.as('alice').patch(`${repo.api}/pulls/1`, { allow_maintainer_edit: true })).status, 403)
  await forge.as('bob').must('PATCH', `${repo.api}/pulls/1`, { allow_maintainer_edit: true })
  await hers.must('push', 'origin', 'topic')
  assert.notEqual((await hers.git('push', 'origin', 'topic:elsewhere')).code, 0)
  assert.notEqual((await hers.git('push', 'origin', ':topic')).code, 0)
})
