import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { UserId } from '../../lib/ids.ts'
import { usualWorkLimits, WorkBudget } from '../../lib/work-budget.ts'
import { startForge } from '../../testing/forge.ts'
import { mayApprove, mayChangeBranch, mayChangeFiles, mayMerge, mayPush } from './branch-protection.policy.ts'
import { effectiveRule, pathsCovered } from './branch-protection.rules.ts'
import type { BranchRule } from './branch-protection.store.ts'
import { mayChangeTag } from './tag-protection.policy.ts'
import { tagRuleFinder } from './tag-protection.rules.ts'
import type { TagRule } from './tag-protection.store.ts'

const alice = { id: 1 as UserId, rights: { canWrite: () => true }, teamIds: new Set<never>() }

const branchRule = (id: number, name: string): BranchRule =>
  ({
    id,
    rule_name: name,
    created_unix: id,
    enable_push: true,
    enable_push_whitelist: true,
    push_user_ids: [1],
    push_team_ids: [],
    merge_user_ids: [1],
    merge_team_ids: [],
    approvals_user_ids: [1],
    approvals_team_ids: [],
    protected_file_patterns: '',
    unprotected_file_patterns: '**',
  }) as unknown as BranchRule

const tagRule = (id: number, pattern: string): TagRule =>
  ({ id, name_pattern: pattern, user_ids: [1], team_ids: [] }) as unknown as TagRule

const spent = (): WorkBudget => new WorkBudget({ ...usualWorkLimits, processorUs: 0 })

/** Patterns that cannot be decided within a request, by what is wrong with them. */
const costly = `${'[a-z]*'.repeat(600)}!`
const globs = { long: `${'a'.repeat(5000)}*`, costly }
const expressions = {
  invalid: '/(/',
  lookahead: '/^(?!v)/',
  repeated: '/(a{1000}){1000}/',
  large: `/${'a{1000}'.repeat(70)}/`,
}

test('tag rules: nobody passes because of a rule that cannot be decided, and the refusal names the rule', () => {
  for (const [fault, pattern] of Object.entries({ long: globs.long, ...expressions })) {
    const find = tagRuleFinder([tagRule(1, 'rel-*'), tagRule(2, pattern)], new WorkBudget())
    const { about, undecided } = find('other')
    assert.deepEqual([about.length, undecided?.id], [0, 2], fault)
    const verdict = mayChangeTag(about, 'other', undecided, alice)
    assert.ok(!verdict.allowed && verdict.reason.includes(pattern.slice(0, 100)), fault)
  }
  const { about, undecided } = tagRuleFinder([tagRule(1, 'v*')], spent())('v1')
  assert.equal(mayChangeTag(about, 'v1', undecided, alice).allowed, false)
})

test('branch rules: a rule that cannot be decided closes the branch to its own list too', () => {
  const cases = [
    [branchRule(1, globs.long), new WorkBudget()],
    [branchRule(1, 'rel/*'), spent()],
  ] as const
  for (const [rule, budget] of cases) {
    const found = effectiveRule([rule, branchRule(2, '*')], 'main', budget)
    assert.equal(found?.isUndecided, true)
    const verdict = mayPush(found, alice)
    assert.ok(!verdict.allowed && verdict.reason.includes(rule.rule_name.slice(0, 100)))
    assert.equal(mayMerge(found, alice).allowed, false)
    assert.equal(mayApprove(found, alice).allowed, false)
    const change = { branch: 'main', kind: 'update', isForced: false, paths: ['a'], unsignedCommit: undefined } as const
    assert.equal(mayChangeBranch(found, alice, change, new WorkBudget()).allowed, false)
  }
  const exact = effectiveRule([branchRule(1, globs.long), branchRule(2, 'main')], 'main', new WorkBudget())
  assert.equal(exact?.isUndecided, undefined, 'an exact name is decided before patterns')
})

test('file patterns: an undecided path is protected, and never unprotected', () => {
  for (const budget of [spent(), new WorkBudget()]) {
    const patterns = Array.from({ length: 480 }, () => globs.costly).join(';')
    assert.equal(
      mayChangeFiles({ ...branchRule(1, 'main'), protected_file_patterns: patterns }, 'main', ['a'.repeat(600)], budget)
        .allowed,
      false,
    )
    const covered = pathsCovered(patterns, ['a'.repeat(600)], budget)
    assert.deepEqual([covered.paths, covered.undecided !== undefined], [[], true])
  }
})

test('repoCreateTagProtection: a pattern that cannot be compiled is refused, and a slow expression is decided', async () => {
  await using forge = await startForge({ users: ['alice', 'carol'] })
  const repo = await forge.given.repo({ owner: 'alice', files: { 'a.txt': 'a\n' } })
  const [owner, carol] = [forge.as('alice'), forge.as('carol')]
  await owner.must('PUT', `${repo.api}/collaborators/carol`, { permission: 'write' })
  const rules = `${repo.api}/tag_protections`
  for (const name_pattern of [...Object.values(expressions), globs.long, 'a[b', 'a{b']) {
    const reply = await owner.post(rules, { name_pattern, whitelist_usernames: ['alice'] })
    assert.equal(reply.status, 422, name_pattern.slice(0, 40))
    assert.match(reply.json.message, /name_pattern/)
  }
  const created = await owner.post(rules, { name_pattern: 'rel-*', whitelist_usernames: ['alice'] })
  assert.equal(created.status, 201)
  await owner.post(rules, { name_pattern: '/(a+)+$/', whitelist_usernames: ['carol'] })
  const tag = `rel-${'a'.repeat(34)}b`
  assert.equal((await carol.post(`${repo.api}/tags`, { tag_name: tag })).status, 422)
  assert.equal((await owner.post(`${repo.api}/tags`, { tag_name: tag })).status, 201)
  for (const body of [
    { rule_name: 'a[b' },
    { rule_name: globs.long },
    { rule_name: 'x', protected_file_patterns: 'a{b' },
    { rule_name: 'x', protected_file_patterns: '*.a;'.repeat(6000) },
  ]) {
    const reply = await owner.post(`${repo.api}/branch_protections`, body)
    assert.equal(reply.status, 422, JSON.stringify(body).slice(0, 60))
  }
})
