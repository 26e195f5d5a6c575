import assert from 'node:assert/strict'
import { test } from 'node:test'
import { usedOf, withinQuota, type QuotaSubject, type QuotaUsage } from './quota.rules.ts'

const usage: QuotaUsage = {
  publicRepos: 10,
  privateRepos: 20,
  lfs: 5,
  issueAttachments: 1,
  releaseAttachments: 2,
  artifacts: 3,
  packages: 4,
}

test('quota: subjects are sums of their parts, wikis are not counted', () => {
  assert.deepEqual(
    (
      [
        'size:repos:all',
        'size:git:all',
        'size:assets:attachments:all',
        'size:assets:all',
        'size:all',
        'size:wiki',
      ] as const
    ).map((subject) => usedOf(subject, usage)),
    [30, 35, 3, 10, 45, 0],
  )
})

test('quota: a rule stands at its limit, -1 is none, 0 refuses what is used', () => {
  const within = (limit: number) =>
    withinQuota([{ rules: [{ limit, subjects: ['size:repos:all'] }] }], 'size:repos:all', usage)
  assert.deepEqual([within(30), within(29), within(-1), within(0), within(-2)], [true, false, true, false, false])
})

test('quota: a subject is judged by the rules that name it, and by those of its parts where none does', () => {
  const within = (rules: Parameters<typeof withinQuota>[0][number]['rules'], subject: QuotaSubject) =>
    withinQuota([{ rules }], subject, usage)
  const none = (...subjects: QuotaSubject[]) => ({ limit: 0, subjects })
  const lots = (...subjects: QuotaSubject[]) => ({ limit: 1e12, subjects })
  assert.equal(within([none('size:repos:private')], 'size:repos:all'), false, 'a part falls')
  assert.equal(within([lots('size:repos:all'), none('size:repos:private')], 'size:repos:all'), true, 'named itself')
  assert.equal(within([none('size:assets:attachments:issues')], 'size:all'), false, 'a part of a part of a part')
  assert.equal(
    within([lots('size:assets:all'), none('size:assets:artifacts')], 'size:all'),
    true,
    'a part that is named is not looked into',
  )
  assert.equal(within([lots('size:repos:all'), none('size:repos:all')], 'size:repos:all'), false, 'all have to stand')
  assert.equal(within([{ limit: 39, subjects: ['size:repos:private', 'size:repos:private'] }], 'size:repos:all'), false)
})

test('quota: a group that says nothing about a subject stands', () => {
  const within = (named: QuotaSubject, subject: QuotaSubject) =>
    withinQuota([{ rules: [{ limit: 0, subjects: [named] }] }], subject, usage)
  assert.equal(within('size:assets:packages:all', 'size:repos:all'), true)
  assert.equal(within('size:all', 'size:repos:all'), true, 'a rule of the whole does not name its parts')
  assert.equal(within('size:repos:all', 'size:repos:public'), true)
  assert.equal(within('size:git:lfs', 'size:git:all'), true, 'no parts of it are listed')
  assert.equal(withinQuota([{ rules: [] }], 'size:all', usage), true)
})

test('quota: the total of the instance counts for every subject but wikis', () => {
  const within = (limit: number, subject: QuotaSubject) =>
    withinQuota([{ rules: [{ limit, subjects: ['size:all'] }], isForAll: true }], subject, usage)
  for (const subject of ['size:all', 'size:repos:all', 'size:assets:attachments:issues', 'size:git:all'] as const) {
    assert.deepEqual([within(45, subject), within(44, subject), within(-1, subject)], [true, false, true], subject)
  }
  assert.equal(within(0, 'size:wiki'), true)
})

test('quota: one group that stands is enough, none is no limit, and wikis are always within', () => {
  const over = { rules: [{ limit: 0, subjects: ['size:repos:all', 'size:assets:wiki'] as const }] }
  const fine = { rules: [{ limit: -1, subjects: ['size:repos:all'] as const }] }
  assert.equal(withinQuota([over, fine], 'size:repos:all', usage), true)
  assert.equal(withinQuota([over], 'size:repos:all', usage), false)
  assert.equal(withinQuota([], 'size:repos:all', usage), true)
  assert.equal(withinQuota([over], 'size:assets:wiki', usage), true)
})
