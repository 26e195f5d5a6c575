import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Forbidden } from './errors.ts'
import { allow, deny, must } from './verdict.ts'

test('must: a denial is Forbidden with the code and the reason of the policy', () => {
  must(allow)
  assert.throws(
    () => must(deny('issue_locked', 'the conversation is locked')),
    (error) =>
      error instanceof Forbidden && error.code === 'issue_locked' && error.message === 'the conversation is locked',
  )
})
