import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Browser } from '../../testing/browser.ts'
import { startForge } from '../../testing/forge.ts'
import { givenPull } from '../../testing/given-pull.ts'

/** Each address by its operation, and where it leads. */
const leading: Readonly<Record<string, readonly [path: string, to: string]>> = {
  faviconLink: ['/favicon.ico', '/assets/icon.svg'],
  loginLink: ['/login?redirect_to=%2Fissues', '/user/login?redirect_to=%2Fissues'],
  changePasswordLink: ['/.well-known/change-password', '/user/settings/account'],
  avatarLink: ['/user/avatar/alice/64', '/alice.png'],
  accountActionsLink: ['/user/settings/actions/runners', '/user/settings/actions'],
  organizationActionsLink: ['/org/smiths/settings/actions/runners', '/org/smiths/settings/actions'],
  organizationHomeLink: ['/org/smiths/dashboard', '/smiths'],
  administrationConfigLink: ['/admin/config', '/admin'],
  administrationMonitorLink: ['/admin/monitor', '/admin'],
  administrationStatsLink: ['/admin/monitor/stats', '/admin'],
  administrationCheckLink: ['/admin/self_check', '/admin'],
  administrationQueueLink: ['/admin/monitor/queue', '/admin/jobs'],
  administrationNoticesLink: ['/admin/notices', '/admin/audit'],
  systemHooksLink: ['/admin/system-hooks', '/admin/hooks'],
  defaultHooksLink: ['/admin/default-hooks', '/admin/hooks'],
  newSourceLink: ['/admin/auths/new', '/admin/auths'],
  cloneAddressLink: ['/alice/repo.git', '/alice/repo'],
  repositorySourceLink: ['/alice/repo/src', '/alice/repo'],
  treeLink: ['/alice/repo/tree/main', '/alice/repo/src/main'],
  blobLink: ['/alice/repo/blob/main/README.md?plain=1', '/alice/repo/src/main/README.md?plain=1'],
  pullLink: ['/alice/repo/pull/1', '/alice/repo/pulls/1'],
  milestoneLink: ['/alice/repo/milestones/1', '/alice/repo/milestone/1'],
  contributorsLink: ['/alice/repo/contributors', '/alice/repo/graphs/contributors'],
  activityPartLink: ['/alice/repo/activity/contributors', '/alice/repo/graphs/contributors'],
  stargazersLink: ['/alice/repo/stargazers', '/alice/repo/stars'],
  runsLink: ['/alice/repo/actions/runs', '/alice/repo/actions'],
  workflowLink: ['/alice/repo/actions/workflows/a%20b.yml', '/alice/repo/actions?workflow=a%20b.yml'],
  badgeLink: ['/alice/repo/badges/workflows/x.yml/badge.svg', '/alice/repo/actions/workflows/x.yml/badge.svg'],
  repositoryVariablesLink: ['/alice/repo/settings/actions/variables', '/alice/repo/settings/actions/secrets'],
  repositoryActionsLink: ['/alice/repo/settings/actions', '/alice/repo/settings/actions/general'],
}

/** Opens an address and follows its redirects, five at most. */
async function arrive(browser: Browser, path: string) {
  let answer = await browser.get(path)
  for (let steps = 0; answer.status === 303 && steps < 5; steps += 1) {
    answer = await browser.get((answer.headers.get('location') ?? '').replace(browser.forge.url, ''))
  }
  return answer
}

test('other addresses lead to the pages, which decide who may see them', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const repo = await forge.given.repo({ owner: 'alice', name: 'repo' })
  await givenPull(forge, { repo })
  await forge.as('alice').must('POST', `${repo.api}/milestones`, { title: 'one' })
  await forge.given.org({ owner: 'root', name: 'smiths' })
  const [root, alice, bob] = await Promise.all(['root', 'alice', 'bob'].map((name) => Browser.of(forge, name)))
  assert.ok(root && alice && bob)
  // The workflow of the badge does not exist.
  const leadNowhere = new Set(['badgeLink'])
  for (const [id, [path, to]] of Object.entries(leading)) {
    const answer = await new Browser(forge).get(path)
    assert.deepEqual([answer.status, answer.headers.get('location')], [303, to], id)
    if (leadNowhere.has(id)) continue
    const shown = await arrive(to.startsWith('/admin') || to.includes('smiths') ? root : alice, to)
    assert.equal(shown.status, 200, `${id}: ${to}`)
  }
  await forge.as('alice').must('PATCH', repo.api, { private: true })
  assert.equal((await arrive(bob, '/alice/repo.git')).status, 404)
  assert.equal((await arrive(bob, '/admin/config')).status, 403)
})

test('the address of a form leads to the page above it', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const repo = await forge.given.repo({ owner: 'alice', name: 'repo' })
  await forge.as('alice').must('POST', `${repo.api}/issues`, { title: 'one' })
  const guest = new Browser(forge)
  for (const [form, page] of [
    ['/alice/repo/issues/1/comments', '/alice/repo/issues/1'],
    ['/alice/repo/topics', '/alice/repo'],
    ['/user/settings/avatar', '/user/settings'],
  ] as const) {
    const answer = await guest.get(form)
    assert.deepEqual([answer.status, answer.headers.get('location')], [303, page])
  }
  const other = await forge.guest.send('DELETE', '/alice/repo/topics', undefined, { site: true })
  assert.equal(other.status, 405)
})

test('below a path, redirects between pages keep it', async () => {
  await using forge = await startForge({
    users: ['alice'],
    settings: { server: { ROOT_URL: 'https://code.example.com/forge/' } },
  })
  const { token } = await forge.account('alice')
  const site = `http://127.0.0.1:${forge.services.config.server.httpPort}/forge`
  const make = async (path: string, body: object) => {
    const headers = { authorization: `token ${token}`, 'content-type': 'application/json' }
    const made = await fetch(`${site}/api/v1${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    assert.equal(made.status, 201, path)
  }
  await make('/user/repos', { name: 'repo', auto_init: true })
  await make('/repos/alice/repo/issues', { title: 'one' })
  for (const [path, to] of [
    ['/alice/repo/pulls/1', '/forge/alice/repo/issues/1'],
    ['/alice/repo.git', '/forge/alice/repo'],
    ['/alice/repo/topics', '/forge/alice/repo'],
    ['/alice/repo/src/main/README.md', '/forge/alice/repo/src/branch/main/README.md'],
    ['/explore', '/forge/explore/repos'],
    ['/notifications', '/forge/user/login?redirect_to=%2Fnotifications'],
  ] as const) {
    const { status, headers } = await fetch(site + path, { redirect: 'manual' })
    assert.deepEqual([status, headers.get('location')], [303, to], path)
  }
})
