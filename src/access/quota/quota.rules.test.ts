import assert from 'node:assert/strict'
import { test } from 'node:test'
import { guardsOf, usedOf, withinQuota, type QuotaRule, type QuotaSubject, type QuotaUsage } from './quota.rules.ts'

const usage: QuotaUsage = {
  'repos:public': 10,
  'repos:private': 20,
  lfs: 5,
  'attachments:issues': 1,
  'attachments:releases': 2,
  artifacts: 3,
  packages: 4,
}

test('quota: a subject is the sum of its parts without wikis', () => {
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

test('quota: a rule allows usage up to its limit, -1 is no limit, 0 allows no usage', () => {
  const within = (limit: number) =>
    withinQuota([{ rules: [{ limit, subjects: ['size:repos:all'] }] }], 'size:repos:all', usage)
  assert.deepEqual([within(30), within(29), within(-1), within(0), within(-2)], [true, false, true, false, false])
})

test('quota: the rules for a subject decide, else those for its wholes, else those for its parts', () => {
  const judged = ['size:all', 'size:repos:all', 'size:git:lfs', 'size:assets:artifacts'] as const
  const within = (...rules: QuotaRule[]) => judged.map((subject) => withinQuota([{ rules }], subject, usage))
  const none = (...subjects: QuotaSubject[]) => ({ limit: 0, subjects })
  const lots = (...subjects: QuotaSubject[]) => ({ limit: 1e12, subjects })
  const [all, nothing] = [judged.map(() => true), judged.map(() => false)]
  assert.deepEqual(within(none('size:all')), nothing, 'a rule about the whole limits the parts')
  const packages = none('size:assets:packages:all')
  assert.deepEqual(within(packages), [false, true, true, true], 'a group that says nothing about a subject stands')
  assert.deepEqual(within(packages, lots('size:git:lfs')), [false, true, true, true], 'a further rule widens nothing')
  assert.deepEqual(
    within(none('size:assets:packages:all'), lots('size:all')),
    all,
    'parts count only without a rule about the whole',
  )
  assert.deepEqual(
    within(none('size:repos:private'), lots('size:git:lfs', 'size:assets:artifacts')),
    [false, false, true, true],
    'parts limit the whole, and a named subject follows its own rule',
  )
  assert.deepEqual(within(none('size:git:all'), lots('size:assets:all')), [false, false, false, true])
  assert.deepEqual(
    within(lots('size:repos:all'), none('size:repos:all')),
    [false, false, true, true],
    'each rule must allow it',
  )
  assert.deepEqual(within(lots('size:repos:all'), lots('size:all')), all)
  const twice = { limit: 39, subjects: ['size:repos:private', 'size:repos:private'] as const }
  assert.deepEqual(within(twice), [false, false, true, true], 'twice 20')
  assert.deepEqual(within(none('size:wiki')), all, 'wikis are not counted')
  assert.deepEqual(within(), all, 'a group without rules')
})

test('quota: one group that allows it is enough, no group is no limit, and wikis are always within', () => {
  const over = { rules: [{ limit: 0, subjects: ['size:repos:all', 'size:assets:wiki'] as const }] }
  const fine = { rules: [{ limit: -1, subjects: ['size:repos:all'] as const }] }
  assert.equal(withinQuota([over, fine], 'size:repos:all', usage), true)
  assert.equal(withinQuota([over], 'size:repos:all', usage), false)
  assert.equal(withinQuota([], 'size:repos:all', usage), true)
  assert.equal(withinQuota([over], 'size:assets:wiki', usage), true)
  assert.equal(withinQuota([over], 'size:wiki', usage), true)
})

test('quota: a kind that is missing from the usage counts as zero', () => {
  const rules = [{ limit: 0, subjects: ['size:all'] as const }]
  assert.equal(withinQuota([{ rules }], 'size:all', {}), true)
  assert.equal(withinQuota([{ rules }], 'size:all', { packages: 1 }), false)
})

test('quota: an operation is judged by its own subject and by the repositories, one of wikis by none', () => {
  assert.deepEqual(guardsOf('size:assets:attachments:issues'), ['size:assets:attachments:issues', 'size:repos:all'])
  assert.deepEqual(guardsOf('size:repos:all'), ['size:repos:all'])
  assert.deepEqual(guardsOf('size:wiki'), [])
})
