import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { startForge, type Forge } from '../../testing/forge.ts'
import type { GivenRepo } from '../../testing/given.ts'
import { commitFiles, givenPull, type GivenPull } from '../../testing/given-pull.ts'

const schedule = (forge: Forge, pull: GivenPull) =>
  forge.as('alice').post(`${pull.api}/merge`, { Do: 'merge', merge_when_checks_succeed: true })

const cancel = async (forge: Forge, pull: GivenPull): Promise<number> =>
  (await forge.as('alice').delete(`${pull.api}/merge`)).status

const succeed = (forge: Forge, pull: GivenPull) =>
  forge.as('alice').must('POST', `${pull.repo.api}/statuses/${pull.head}`, { context: 'ci', state: 'success' })

const shown = async (forge: Forge, pull: GivenPull): Promise<{ merged: boolean; state: string }> => {
  const { merged, state } = (await forge.guest.get(pull.api)).json
  return { merged, state }
}

/** Creates a repository whose branch protection requires a successful status. */
async function givenGuardedRepo(forge: Forge): Promise<GivenRepo> {
  const repo = await forge.given.repo()
  const rule = { rule_name: '**', enable_status_check: true, status_check_contexts: ['ci'], enable_push: true }
  await forge.as('alice').must('POST', `${repo.api}/branch_protections`, rule)
  return repo
}

/** Runs `act` once, right before the next call of a method of git. */
function before(t: TestContext, forge: Forge, method: 'isAncestor' | 'keepObjects', act: () => Promise<void>) {
  const { git } = forge.services
  const real = git[method].bind(git) as (...args: unknown[]) => Promise<never>
  const mock = t.mock.method(git, method, async (...args: unknown[]) => {
    mock.mock.restore()
    await act()
    return real(...args)
  })
}

/** Actions between the checks of a scheduled merge and its transaction. */
const acts: Readonly<Record<string, (forge: Forge, pull: GivenPull) => Promise<unknown>>> = {
  cancelled: async (forge, pull) => assert.equal(await cancel(forge, pull), 204),
  closed: (forge, pull) => forge.as('alice').must('PATCH', pull.api, { state: 'closed' }),
  'closed as an issue': (forge, pull) =>
    forge.as('alice').must('PATCH', `${pull.repo.api}/issues/${pull.number}`, { state: 'closed' }),
  pushed: (forge, pull) => commitFiles(forge, pull.repo, pull.branch, { 'late.txt': 'late\n' }),
  'given another base': async (forge, pull) => {
    await forge.as('alice').must('POST', `${pull.repo.api}/branches`, { new_branch_name: 'other' })
    await forge.as('alice').must('PATCH', pull.api, { base: 'other' })
  },
}

const moments = [
  ['isAncestor', 'after its checks'],
  ['keepObjects', 'right before its transaction'],
] as const

for (const [name, act, method, moment] of Object.entries(acts).flatMap(([name, act]) =>
  moments.map(([method, moment]) => [name, act, method, moment] as const),
)) {
  test(`a scheduled merge does not run when the pull request is ${name} ${moment}`, async (t) => {
    await using forge = await startForge()
    const repo = await givenGuardedRepo(forge)
    const pull = await givenPull(forge, { repo })
    const tip = async () => (await forge.guest.get(`${repo.api}/branches/main`)).json.commit.id
    const base = await tip()
    assert.equal((await schedule(forge, pull)).status, 201)
    let hasActed = false
    before(t, forge, method, async () => {
      await act(forge, pull)
      hasActed = true
    })
    await succeed(forge, pull)
    await forge.settle()
    assert.ok(hasActed)
    assert.equal((await shown(forge, pull)).merged, false)
    assert.equal(await tip(), base)
  })
}

test('repoCancelScheduledAutoMerge: the reply is correct when cancelling races with a finishing check', async () => {
  await using forge = await startForge()
  const repo = await givenGuardedRepo(forge)
  const pulls: GivenPull[] = []
  for (let index = 0; index < 8; index++) {
    // Separate bases keep one merge from changing the checks of another.
    const base = `base-${index}`
    await forge.as('alice').must('POST', `${repo.api}/branches`, { new_branch_name: base })
    pulls.push(await givenPull(forge, { repo, base }))
  }
  await Promise.all(
    pulls.map(async (pull, index) => {
      assert.equal((await schedule(forge, pull)).status, 201)
      const checked = succeed(forge, pull)
      // Each round cancels a few requests later, at a different point between the check and the end of the merge.
      for (let turn = 0; turn < index * 3; turn++) await shown(forge, pull)
      const answer = await cancel(forge, pull)
      await checked
      await forge.settle()
      const { merged } = await shown(forge, pull)
      if (answer === 204) assert.equal(merged, false, 'cancelled')
      else if (answer === 404) assert.equal(merged, true, 'nothing waits any more')
      else assert.equal(answer, 409)
      if (answer === 409) assert.equal(await cancel(forge, pull), merged ? 404 : 204)
    }),
  )
})
