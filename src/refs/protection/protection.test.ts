import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TeamId, UserId } from '../../lib/ids.ts'
import { WorkBudget } from '../../lib/work-budget.ts'
import { startForge } from '../../testing/forge.ts'
import { mayChangeBranch } from './branch-protection.policy.ts'
import type { BranchActor, BranchChange } from './branch-protection.rules.ts'
import type { BranchRule } from './branch-protection.store.ts'
import { Clone } from '../../testing/clone.ts'

const rule = (more: Partial<BranchRule>): BranchRule =>
  ({
    rule_name: 'main',
    enable_push: true,
    enable_push_whitelist: false,
    push_user_ids: [],
    push_team_ids: [],
    push_deploy_keys: false,
    require_signed_commits: false,
    protected_file_patterns: '',
    unprotected_file_patterns: '',
    ...more,
  }) as BranchRule

const writer: BranchActor = { id: 1 as UserId, rights: { canWrite: () => true }, teamIds: new Set([7 as TeamId]) }
const change: BranchChange = {
  branch: 'main',
  kind: 'update',
  isForced: false,
  paths: ['a.txt'],
  unsignedCommit: undefined,
}
const isAllowed = (more: Partial<BranchRule>, changed: Partial<BranchChange> = {}, actor = writer): boolean =>
  mayChangeBranch(rule(more), actor, { ...change, ...changed }, new WorkBudget()).allowed

test('branch rules: force pushes, deletions, allow lists, deploy keys and files', () => {
  assert.equal(isAllowed({}), true)
  assert.equal(isAllowed({}, { isForced: true }), false)
  assert.equal(isAllowed({}, { kind: 'delete' }), false)
  assert.equal(isAllowed({ enable_push: false }), false)
  assert.equal(isAllowed({ enable_push_whitelist: true }), false)
  assert.equal(isAllowed({ enable_push_whitelist: true, push_team_ids: [7 as TeamId] }), true)
  const key: BranchActor = { id: undefined, rights: { canWrite: () => true }, teamIds: new Set(), isDeployKey: true }
  assert.equal(isAllowed({ enable_push_whitelist: true }, {}, key), false)
  assert.equal(isAllowed({ enable_push_whitelist: true, push_deploy_keys: true }, {}, key), true)
  assert.equal(isAllowed({ enable_push: false, unprotected_file_patterns: '*.txt' }), true)
  assert.equal(
    isAllowed({ enable_push: false, unprotected_file_patterns: '*.txt' }, { paths: ['a.txt', 'b.md'] }),
    false,
  )
  assert.equal(isAllowed({ protected_file_patterns: 'x; A.TXT ' }), false)
  assert.equal(isAllowed({ require_signed_commits: true }, { unsignedCommit: 'abc' }), false)
})

test('repoEditGitHook: a script runs in pushes and may refuse; guests and owners without the right cannot set one', async () => {
  await using forge = await startForge({ settings: { security: { DISABLE_GIT_HOOKS: false } } })
  const repo = await forge.given.repo()
  const root = forge.as('root')
  const script =
    '#!/bin/sh\nwhile read old new ref; do echo "seen $ref"; case $ref in refs/heads/no) exit 1 ;; esac; done\n'
  assert.equal((await forge.as('alice').patch(`${repo.api}/hooks/git/pre-receive`, { content: script })).status, 403)
  assert.equal((await root.patch(`${repo.api}/hooks/git/pre-receive`, { content: script })).status, 200)
  using clone = await Clone.of(forge, 'alice', repo.fullName)
  const fine = await clone.git('push', 'origin', 'HEAD:refs/heads/yes')
  assert.deepEqual([fine.code, fine.err.includes('seen refs/heads/yes')], [0, true])
  assert.notEqual((await clone.git('push', 'origin', 'HEAD:refs/heads/no')).code, 0)
  assert.equal((await root.get(`${repo.api}/branches/no`)).status, 404)
  await root.delete(`${repo.api}/hooks/git/pre-receive`)
  assert.equal((await clone.git('push', 'origin', 'HEAD:refs/heads/no')).code, 0)
})

test('protected branches: a refused reference refuses the whole push, and rules bind owners', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  const alice = forge.as('alice')
  await alice.must('POST', `${repo.api}/branch_protections`, { rule_name: 'main' })
  using clone = await Clone.of(forge, 'alice', repo.fullName)
  await clone.commit('a.txt', 'a\n')
  const refused = await clone.git('push', 'origin', 'HEAD:refs/heads/main', 'HEAD:refs/heads/free')
  assert.deepEqual([refused.code === 0, (await alice.get(`${repo.api}/branches/free`)).status], [false, 404])
  assert.equal((await clone.git('push', 'origin', 'HEAD:refs/heads/free')).code, 0)
  const write = await alice.post(`${repo.api}/contents/b.txt`, { content: '' })
  assert.deepEqual([write.status, write.json.code], [403, 'branch_protected'])
  assert.equal((await alice.post(`${repo.api}/contents/b.txt`, { content: '', new_branch: 'fresh' })).status, 201)
})

test('repoCreateBranchProtection: a rule named as a step in an address is refused', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  for (const name of ['.', '..', ' .. ']) {
    // oxlint-disable-next-line no-await-in-loop -- three requests
    const refused = await forge.as('alice').post(`${repo.api}/branch_protections`, { rule_name: name })
    assert.deepEqual([refused.status, refused.json.code], [422, 'rule_name_invalid'], name)
  }
})
