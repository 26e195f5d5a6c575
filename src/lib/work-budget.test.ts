import assert from 'node:assert/strict'
import { test } from 'node:test'
import { WorkBudget, WorkTooCostly } from './work-budget.ts'

const limits = { processorUs: 10, outputBytes: 100, threadChars: 1000, threadUs: 100 }

test('WorkBudget: all work of a request takes from one limit of each kind', () => {
  const budget = new WorkBudget(limits)
  assert.deepEqual(
    [6, 6, 4, 1].map((amount) => budget.tryTake('processorUs', amount)),
    [true, false, true, false],
  )
  assert.deepEqual([...budget.refused], ['processorUs'])
  assert.equal(budget.tryTake('outputBytes', 100), true)
})

test('WorkBudget: work without a plain form is refused with its kind', () => {
  const budget = new WorkBudget(limits)
  budget.take('threadChars', 1000)
  assert.throws(
    () => budget.take('threadChars', 1),
    (error) => error instanceof WorkTooCostly && error.status === 422 && error.data['kind'] === 'threadChars',
  )
})

test('WorkBudget: the signal is made when the work asks for it', () => {
  const abort = new AbortController()
  assert.equal(new WorkBudget(limits).signal, undefined)
  assert.equal(new WorkBudget(limits, () => abort.signal).signal, abort.signal)
})
