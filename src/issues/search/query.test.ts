import assert from 'node:assert/strict'
import { test } from 'node:test'
import { emptyQuery, parseIssueQuery, writeIssueQuery } from './query.parse.ts'

test('an issue query has filters, an order and words', () => {
  const query = parseIssueQuery('is:open label:"good first issue" label:bug author:me no:milestone sort:updated crack')
  assert.deepEqual(query, {
    ...emptyQuery,
    state: 'open',
    labels: ['good first issue', 'bug'],
    author: 'me',
    lacks: ['milestone'],
    sort: 'updated-desc',
    words: 'crack',
  })
})

test('an issue query keeps phrases as words and names filters that it does not understand', () => {
  const query = parseIssueQuery('"hot iron" is:blue no:tea updated:>2026-01-31 updated:<=2026-02-28 http://a.example')
  assert.equal(query.words, '"hot iron"')
  assert.deepEqual(query.unknown, ['is:blue', 'no:tea', 'http://a.example'])
  assert.deepEqual([query.since, query.before, query.state], ['2026-01-31', '2026-02-28', 'all'])
})

test('a written issue query parses to the same query', () => {
  for (const text of [
    '',
    'is:closed',
    'label:"a b" no:assignee author:alice assignee:me milestone:"v 1.0" sort:due-desc x "y z"',
    'review-requested:me reviewed-by:bob mentions:carol updated:>=2026-01-01',
  ]) {
    const query = parseIssueQuery(text)
    assert.deepEqual(parseIssueQuery(writeIssueQuery(query)), query, text)
  }
})

test('an issue query without an end of a quotation is understood', () => {
  assert.deepEqual(parseIssueQuery('label:"a b').labels, ['a b'])
  assert.equal(parseIssueQuery('label:').words, 'label:')
})
