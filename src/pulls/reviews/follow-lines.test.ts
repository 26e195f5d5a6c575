import assert from 'node:assert/strict'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Browser } from '../../testing/browser.ts'
import { Clone } from '../../testing/clone.ts'
import { startForge } from '../../testing/forge.ts'
import { movedLines } from './moved-lines.rules.ts'

test('lines move with what is added and removed before them, and end with a change of them', () => {
  const added = { oldBegin: 4, oldCount: 0, newCount: 3 }
  const removed = { oldBegin: 10, oldCount: 2, newCount: 0 }
  const at = (first: number, last = first) => movedLines({ first, last }, [added, removed])
  assert.deepEqual(
    [at(4), at(5), at(9)].map((lines) => lines?.first),
    [4, 8, 12],
  )
  assert.deepEqual([at(10), at(11), at(9, 10), at(4, 5), at(11, 13)], Array(5).fill(undefined))
  assert.deepEqual(
    [at(3, 4), at(5, 9), at(12, 14)],
    [
      { first: 3, last: 4 },
      { first: 8, last: 12 },
      { first: 13, last: 15 },
    ],
  )
  assert.deepEqual(movedLines({ first: 1, last: 1 }, [{ oldBegin: 0, oldCount: 0, newCount: 1 }]), {
    first: 2,
    last: 2,
  })
})

const linesOf = (name: string) => Array.from({ length: 20 }, (_, index) => `${name} ${index + 1}`)
const textOf = (lines: readonly string[]) => `${lines.join('\n')}\n`

test('comments on lines follow pushes, renames and force-pushes, and are outdated when their lines change', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const repo = await forge.given.repo()
  using work = await Clone.of(forge, 'alice', repo.fullName)
  const write = (file: string, lines: readonly string[]) => writeFileSync(join(work.path, file), textOf(lines))
  const commit = async (message: string) => {
    await work.must('add', '-A')
    await work.must('commit', '-q', '-m', message)
  }
  const push = async (...args: string[]) => {
    await work.must('push', '-q', 'origin', ...args)
    await forge.settle()
  }
  const a = linesOf('a')
  write('a.txt', a)
  write('e.txt', linesOf('e'))
  await commit('the base')
  await push('main')
  await work.must('checkout', '-q', '-b', 'topic')
  write('a.txt', a.with(9, 'ten'))
  write('b.txt', linesOf('b'))
  write('c.txt', linesOf('c'))
  write('e.txt', linesOf('e').with(2, 'three'))
  await commit('the change')
  await push('topic')
  const bob = forge.as('bob')
  const { json: pull } = await forge
    .as('alice')
    .must('POST', `${repo.api}/pulls`, { head: 'topic', base: 'main', title: 'Change' })
  const api = `${repo.api}/pulls/${pull.number}`
  const { json: review } = await bob.must('POST', `${api}/reviews`, {
    event: 'COMMENT',
    comments: [
      { path: 'a.txt', body: 'moves', new_position: 12 },
      { path: 'a.txt', body: 'changes', new_position: 5 },
      { path: 'a.txt', body: 'was there', old_position: 10 },
      { path: 'b.txt', body: 'is renamed', new_position: 3 },
      { path: 'c.txt', body: 'is deleted', new_position: 2 },
      { path: 'e.txt', body: 'about the old name', old_position: 3 },
    ],
  })
  const currentLines = async () => {
    const { json } = await bob.get(`${api}/reviews/${review.id}/comments`)
    return json.map((each: { path: string; position: number; original_position: number }) =>
      [each.path, each.position || -each.original_position].join(':'),
    )
  }
  const at = `/${repo.fullName}/pulls/${pull.number}`
  const browser = await Browser.of(forge, 'bob')
  const outdated = async () =>
    [
      ...(await browser.get(at)).text.matchAll(/<code>([^<]*)<\/code>[^<]*<\/a>[^<]*<\/span>[^<]*<span[^>]*>Outdated/g),
    ].map(([, line]) => line)
  const before = ['a.txt:12', 'a.txt:5', 'a.txt:-10', 'b.txt:3', 'c.txt:2', 'e.txt:-3']
  assert.deepEqual([await currentLines(), await outdated()], [before, []])

  write('a.txt', ['top', 'more', ...a.with(9, 'ten').with(4, 'five')])
  rmSync(join(work.path, 'c.txt'))
  await work.must('mv', 'b.txt', 'd.txt')
  await work.must('mv', 'e.txt', 'f.txt')
  write('d.txt', ['top', ...linesOf('b')])
  await commit('more')
  await push('topic')
  assert.deepEqual(await currentLines(), ['a.txt:14', 'a.txt:5', 'a.txt:-10', 'd.txt:4', 'c.txt:2', 'e.txt:-3'])
  assert.deepEqual(await outdated(), ['a.txt:5', 'c.txt:2'])
  const files = (await browser.get(`${at}/files?file=a.txt`)).text
  assert.match(files, /<details><summary class="thread-head">.*?a\.txt:5.*?Outdated.*?1 comment/s)
  assert.doesNotMatch(files, /a\.txt:14/, 'the moved comment is below its line')

  assert.match((await browser.get(`${at}/files?file=f.txt`)).text, /about the old name/)
  const [, { id }] = (await bob.get(`${api}/reviews/${review.id}/comments`)).json
  const csrf = { _csrf: await browser.csrf(at), mode: 'single', content: 'Still?', path: 'a.txt' }
  const reply = (to: number) => browser.post(`${at}/files/reviews/comments`, { ...csrf, reply: String(to) })
  assert.deepEqual([(await reply(id + 99)).status, (await reply(id)).status], [404, 303])
  assert.deepEqual(await outdated(), ['a.txt:5', 'c.txt:2'], 'a reply belongs to the outdated conversation')

  await push('-f', 'topic~1:topic')
  assert.deepEqual([await currentLines(), await outdated()], [before, []], 'back at the commented commit')

  await work.must('reset', '-q', '--hard', 'topic~1')
  await work.must('checkout', '-q', 'main')
  write('a.txt', ['first', 'second', 'third', ...a])
  await commit('the base moves')
  await push('main')
  await work.must('checkout', '-q', 'topic')
  await work.must('rebase', '-q', 'main')
  await push('-f', 'topic')
  assert.deepEqual(await currentLines(), ['a.txt:15', 'a.txt:8', 'a.txt:-13', 'b.txt:3', 'c.txt:2', 'e.txt:-3'])
  assert.deepEqual(await outdated(), [])
})
