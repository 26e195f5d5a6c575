import assert from 'node:assert/strict'
import { test } from 'node:test'
import { usedOf, withinQuota, type QuotaUsage } from './quota.policy.ts'

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

test('quota: rules of the whole judge its parts, rules of parts judge the whole where no other does', () => {
  const within = (subjects: readonly ['size:all' | 'size:repos:private' | 'size:assets:packages:all'], limit: number) =>
    withinQuota([{ rules: [{ limit, subjects }] }], 'size:repos:all', usage)
  assert.deepEqual([within(['size:all'], 44), within(['size:all'], 45)], [false, true])
  assert.deepEqual([within(['size:repos:private'], 19), within(['size:repos:private'], 20)], [false, true])
  assert.equal(within(['size:assets:packages:all'], 0), true, 'a group that says nothing about it stands')
})

test('quota: one group that stands is enough, none is no limit, and wikis are always within', () => {
  const over = { rules: [{ limit: 0, subjects: ['size:all'] as const }] }
  const fine = { rules: [{ limit: -1, subjects: ['size:all'] as const }] }
  assert.equal(withinQuota([over, fine], 'size:repos:all', usage), true)
  assert.equal(withinQuota([over], 'size:repos:all', usage), false)
  assert.equal(withinQuota([], 'size:repos:all', usage), true)
  assert.equal(withinQuota([over], 'size:assets:wiki', usage), true)
})
