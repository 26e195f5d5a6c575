import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ActionStatus } from '../db/tables/actions.ts'
import { resolveBlocked, statusOfRun, type JobDependencies } from './status.rules.ts'

test('the status of a run follows from the statuses of its jobs', () => {
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

const job = (key: string, status: ActionStatus, needs: string[] = [], hasCondition = false): JobDependencies => ({
  key,
  status,
  needs,
  hasCondition,
})

test('a blocked job becomes waiting or skipped when its needed jobs have ended', () => {
  const after = (...jobs: JobDependencies[]) =>
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
    'the runner evaluates the condition of a job',
  )
  assert.deepEqual(
    after(job('a', 'success'), job('a', 'running'), job('b', 'blocked', ['a'])),
    [],
    'all combinations of a matrix are needed',
  )
  assert.deepEqual(resolveBlocked([job('a', 'blocked')], false).size, 0, 'no job starts without approval')
})
