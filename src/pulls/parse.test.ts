import assert from 'node:assert/strict'
import { test } from 'node:test'
import { WorkBudget, usualWorkLimits } from '../lib/work-budget.ts'
import { parseCodeOwners, rulesInPlay, type OwnerRule } from './reviews/code-owners.parse.ts'
import type { Verdict } from '../lib/verdict.ts'
import { suggestedLines, suggestionOf } from './reviews/suggestion.rules.ts'
import { mayMergeWithReviews, mayMergeWithStatuses } from './merge/merge-gate.policy.ts'
import { describeCommit, readTopicOptions, readTopicRef, topicName } from './topic-push.parse.ts'
import type { BranchRule } from '../refs/protection/branch-protection.store.ts'

const inPlay = (rules: readonly OwnerRule[], ...texts: readonly string[]): OwnerRule[] =>
  rulesInPlay(rules, texts, new WorkBudget())

test('code owners: comments, escapes, negations and teams are parsed, invalid lines are ignored', () => {
  const rules = parseCodeOwners(
    [
      '# all',
      '.*\\.js @bob alice # words',
      '!.*\\.md\t@acme/crew',
      '\\#odd @bob',
      'broken( @bob',
      'lonely',
      'mail/.* a@b.c',
    ].join('\n'),
    new WorkBudget(),
  )
  assert.deepEqual(
    rules.map((rule) => [rule.expression, rule.isNegative, rule.users, rule.teams]),
    [
      ['.*\\.js', false, ['bob', 'alice'], []],
      ['.*\\.md', true, [], [{ org: 'acme', team: 'crew' }]],
      ['#odd', false, ['bob'], []],
      ['broken(', false, ['bob'], []],
      ['mail/.*', false, [], []],
    ],
  )
  const indexes = (...paths: string[]) => inPlay(rules, ...paths).map((rule) => rules.indexOf(rule))
  assert.deepEqual(indexes('src/a.js'), [0, 1])
  assert.deepEqual(indexes('notes.md'), [])
  assert.deepEqual(indexes('notes.md', '#odd'), [1, 2])
})

test('code owners: of an expression that is too large or exceeds the budget, the owners are asked', () => {
  assert.deepEqual(inPlay(parseCodeOwners('(a+)+b @bob', new WorkBudget()), 'a'.repeat(60)), [])
  const large = parseCodeOwners(`${'a{1000}'.repeat(70)} @bob`, new WorkBudget())
  assert.deepEqual(inPlay(large, 'x'), large)
  const plain = parseCodeOwners('docs/.* @bob', new WorkBudget())
  const spent = new WorkBudget({ ...usualWorkLimits, processorUs: 0 })
  assert.deepEqual(rulesInPlay(plain, ['src/a'], spent), plain)
})

test('code owners: the owners of lines beyond the limit are asked, and a large file of ordinary lines is decided', () => {
  const lines = Array.from({ length: 600 }, (_, at) => `src/part${at}/.*\\.ts @owner${at}`)
  const found = inPlay(parseCodeOwners(lines.join('\n'), new WorkBudget()), 'src/part7/a.ts')
  assert.deepEqual([found[0]?.users, found.length, found[1]?.users], [['owner7'], 101, ['owner500']])
  const budget = new WorkBudget()
  const paths = Array.from({ length: 5000 }, (_, at) => `src/part${at % 90}/folder/file-${at}.ts`)
  const rules = parseCodeOwners([...lines.slice(0, 50), '.*\\.md @writer', 'docs/.* @writer'].join('\n'), budget)
  assert.equal(rulesInPlay(rules, paths, budget).length, 50)
  assert.equal(budget.refused.size, 0)
})

test('code owners: the ends of an expression decide as the expression does', () => {
  const cases: [expression: string, path: string, want: boolean][] = [
    ['docs/.*', 'docs/a', true],
    ['docs/.*', 'src/a', false],
    ['docs?/.*', 'doc/a', true],
    ['doc{1,2}s', 'doccs', true],
    ['a|b', 'b', true],
    ['(?i)README', 'readme', true],
    ['.*\\.js', 'a.js', true],
    ['.*\\.js', 'axjs', false],
    ['.*\\d', 'a7', true],
    ['.*\\x41', 'A', true],
    ['a\\.b', 'a.b', true],
    ['.*[ab]', 'xa', true],
    ['.*.js', 'axjs', true],
  ]
  for (const [expression, path, want] of cases) {
    const rules = parseCodeOwners(`${expression} @bob`, new WorkBudget())
    assert.equal(inPlay(rules, path).length === 1, want, `${expression} and ${path}`)
  }
})

test('topics: the longest branch comes first, options are parsed, the name has the login once', () => {
  assert.deepEqual(readTopicRef('refs/for/rel/1/fix'), [
    { branch: 'rel/1/fix', topic: '' },
    { branch: 'rel/1', topic: 'fix' },
    { branch: 'rel', topic: '1/fix' },
  ])
  assert.deepEqual(readTopicOptions(['topic=a=b', 'force-push', 'title=T', 'other']), {
    topic: 'a=b',
    title: 'T',
    description: '',
    isForced: true,
  })
  assert.equal(readTopicOptions(['force-push=false']).isForced, false)
  assert.equal(topicName('Bob', 'fix'), 'bob/fix')
  assert.equal(topicName('Bob', 'bob/fix'), 'bob/fix')
  assert.deepEqual(describeCommit('Title\n\nWhy it is.\n'), { title: 'Title', description: 'Why it is.\n' })
  assert.deepEqual(describeCommit('Title\n'), { title: 'Title', description: '' })
})

const rule = (more: Partial<BranchRule>): BranchRule =>
  ({
    enable_status_check: true,
    status_check_contexts: ['ci/*', 'lint'],
    required_approvals: 0,
    block_on_rejected_reviews: false,
    block_on_official_review_requests: false,
    ignore_stale_approvals: false,
    ...more,
  }) as BranchRule

/** Returns the reason of a denial; undefined when the verdict allows. */
const problemOf = (verdict: Verdict): string | undefined => (verdict.allowed ? undefined : verdict.reason)
const statusProblem = (...given: [rule: BranchRule, statuses: { context: string; state: string }[]]) =>
  problemOf(mayMergeWithStatuses(...given, new WorkBudget()))
const reviewProblem = (...given: Parameters<typeof mayMergeWithReviews>) => problemOf(mayMergeWithReviews(...given))

test('statuses: each pattern needs a matching status, and each matching status must be a success', () => {
  const status = (context: string, state: string) => ({ context, state })
  const problem = (...statuses: { context: string; state: string }[]) => statusProblem(rule({}), statuses)
  assert.match(problem() ?? '', /ci\/\* is missing/)
  assert.match(problem(status('ci/build', 'success')) ?? '', /lint is missing/)
  assert.match(problem(status('ci/build', 'success'), status('lint', 'warning')) ?? '', /lint is warning/)
  assert.equal(problem(status('ci/build', 'success'), status('lint', 'success'), status('x', 'failure')), undefined)
  const any = rule({ status_check_contexts: [] })
  assert.match(statusProblem(any, []) ?? '', /no status/)
  assert.match(statusProblem(any, [status('x', 'pending')]) ?? '', /x is pending/)
  assert.equal(statusProblem(any, [status('x', 'success')]), undefined)
})

test('reviews: stale approvals count unless the rule ignores them; rejections and requests block by rule', () => {
  const approve = { type: 'approve' as const, is_stale: true }
  assert.match(reviewProblem(rule({ required_approvals: 1 }), []) ?? '', /approvals required: 1, given: 0/)
  assert.equal(reviewProblem(rule({ required_approvals: 1 }), [approve]), undefined)
  assert.match(
    reviewProblem(rule({ required_approvals: 1, ignore_stale_approvals: true }), [approve]) ?? '',
    /given: 0/,
  )
  const reject = { type: 'reject' as const, is_stale: false }
  assert.match(reviewProblem(rule({ block_on_rejected_reviews: true }), [reject]) ?? '', /asks for changes/)
  assert.equal(reviewProblem(rule({}), [reject]), undefined)
  const request = { type: 'request' as const, is_stale: false }
  assert.match(reviewProblem(rule({ block_on_official_review_requests: true }), [request]) ?? '', /not given yet/)
})

test('suggestions: the first block is the suggestion, up to the fence that ends it, and an open one is none', () => {
  assert.deepEqual(suggestedLines('Shorter:\r\n```suggestion\r\none\r\n\r\n```\r\nDone'), ['one', ''])
  assert.deepEqual(suggestedLines('```suggestion\n```'), [])
  assert.deepEqual(suggestedLines('````suggestion\n```\n````'), ['```'])
  assert.equal(suggestedLines('```suggestion\none'), undefined)
  assert.equal(suggestedLines('Nothing'), undefined)
  const comment = {
    content: '```suggestion\nnew\n```',
    line: 3,
    first_line: 2,
    patch: '@@ -1,2 +1,3 @@\n one\n+two\n+three',
  }
  assert.deepEqual(suggestionOf(comment), { removed: ['two', 'three'], added: ['new'] })
  for (const other of [{ line: -3 }, { patch: '' }, { patch: '@@ -1 +1 @@\n one' }, { content: 'text' }]) {
    assert.equal(suggestionOf({ ...comment, ...other }), undefined)
  }
})
