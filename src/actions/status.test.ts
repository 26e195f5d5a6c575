import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ActionStatus } from '../db/tables/actions.ts'
import { resolveBlocked, statusOfRun, type JobOnTheWay } from './status.rules.ts'

test('a run is what its jobs make of it, by the first rule that fits', () => {
  const cases: [string, ActionStatus][] = [
    ['skipped skipped', 'skipped'],
    ['success skipped', 'success'],
    ['failure cancelled running', 'cancelled'],
    ['failure running waiting', 'failure'],
    ['running waiting', 'running'],
    ['success waiting blocked', 'waiting'],
    ['success blocked', 'blocked'],
  ]
  for (const [jobs, run] of cases) assert.equal(statusOfRun(jobs.split(' ') as ActionStatus[]), run, jobs)
})

const job = (key: string, status: ActionStatus, needs: string[] = [], hasCondition = false): JobOnTheWay => ({
  key,
  status,
  needs,
  hasCondition,
})

test('blocked jobs wait, are skipped, and what is skipped is passed on', () => {
  const after = (...jobs: JobOnTheWay[]) =>
    [...resolveBlocked(jobs, true)].map(([index, status]) => `${index} ${status}`)
  assert.deepEqual(after(job('a', 'success'), job('b', 'blocked', ['a'])), ['1 waiting'])
  assert.deepEqual(after(job('a', 'running'), job('b', 'blocked', ['a'])), [])
  assert.deepEqual(
    after(
      job('a', 'failure'),
      job('b', 'blocked', ['a']),
      job('c', 'blocked', ['b']),
      job('d', 'blocked', ['b'], true),
    ),
    ['1 skipped', '2 skipped', '3 waiting'],
    'one with a condition is looked at by its runner',
  )
  assert.deepEqual(
    after(job('a', 'success'), job('a', 'running'), job('b', 'blocked', ['a'])),
    [],
    'all combinations of a matrix are needed',
  )
  assert.deepEqual(resolveBlocked([job('a', 'blocked')], false).size, 0, 'nothing begins without its approval')
})
