import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isPage, type NamedOperation } from '../src/http/operation.ts'
import { Browser, shownFields } from '../src/testing/browser.ts'
import { startForge, type Forge } from '../src/testing/forge.ts'
import { givenPull } from '../src/testing/given-pull.ts'
import type { TwinOperation } from '../src/web/shell/page.tsx'
import { everythingOn } from './authorization-world.ts'

/** A form that edits: its page and action, and a field with the values of two people. */
interface Edited {
  readonly page: string
  readonly action: string
  readonly field: string
  readonly values: readonly [theirs: string, mine: string]
}

/** Forms that change what exists and overwrite nothing that a person typed, with the reason. */
const exempt: readonly (readonly [ids: RegExp, reason: string])[] = [
  [/^(?:rewriteIssue|rewriteComment|tickIssueTask|tickCommentTask)$/, 'the form has the version of the text'],
  [/^editWikiAct$/, 'the form has the commit that it shows'],
  [
    /^(?:setIssueMilestone|closeMilestoneOfPage|changeDraft|archiveAct|visibilityAct|switchActionsSubmit)$/,
    'one choice',
  ],
  [/^(?:\w+RunnerRegistration(?:Submit)?|markNotifications)$/, 'one choice'],
  [/^(?:changeIssues|changePulls)$/, 'adds to rows or removes from them'],
  [/^renameBranchAct$/, 'the name in the form is the address of the branch'],
]

/** Returns all forms that edit, by the path of their operation. */
async function editedForms(forge: Forge): Promise<Readonly<Record<string, Edited>>> {
  const alice = forge.as('alice')
  const root = forge.as('root')
  const repo = await forge.given.repo({ owner: 'alice', name: 'r', description: 'first' })
  const at = `/alice/r`
  const settings = `${at}/settings`
  await alice.must('PATCH', '/user/settings', { hide_email: false })
  const issue = await forge.given.issue({ repo, title: 'first' })
  const pull = await givenPull(forge, { repo })
  await alice.must('POST', '/orgs', { username: 'guild' })
  const made = async (path: string, body: object): Promise<number> => (await alice.must('POST', path, body)).json.id
  const hook = { type: 'forgejo', config: { url: 'http://localhost:9/first', content_type: 'json' }, events: ['push'] }
  const label = { name: 'first', color: '#00aabb' }
  const view = { title: 'first', layout: 'board', grouping: 'state' }
  const ids = {
    label: await made(`${repo.api}/labels`, label),
    orgLabel: await made('/orgs/guild/labels', label),
    milestone: await made(`${repo.api}/milestones`, { title: 'first' }),
    repoHook: await made(`${repo.api}/hooks`, hook),
    orgHook: await made('/orgs/guild/hooks', hook),
    userHook: await made('/user/hooks', hook),
    tagRule: await made(`${repo.api}/tag_protections`, { name_pattern: 'v*', whitelist_usernames: ['alice'] }),
    repoView: await made(`${repo.api}/views`, view),
    orgView: await made('/orgs/guild/views', view),
    userView: await made('/user/views', view),
    application: await made('/user/applications/oauth2', { name: 'first', redirect_uris: ['https://a.example/'] }),
    adminHook: (await root.must('POST', '/admin/hooks', hook)).json.id as number,
  }
  await made('/orgs/guild/teams', { name: 'crew', permission: 'read', units_map: { 'repo.code': 'read' } })
  await alice.must('POST', `${repo.api}/releases`, { tag_name: 'v1', name: 'first', body: 'notes' })
  await alice.must('POST', `${repo.api}/branch_protections`, { rule_name: 'main' })
  for (const owner of [repo.api, '/orgs/guild', '/user']) {
    // oxlint-disable-next-line no-await-in-loop -- three owners
    await alice.must('POST', `${owner}/actions/variables/FIRST`, { value: 'first' })
  }
  await root.must('POST', '/admin/quota/rules', { name: 'small', limit: 1000000, subjects: ['size:all'] })
  await root.must('POST', '/admin/quota/groups', { name: 'one', rules: [] })
  await root.must('POST', '/admin/quota/groups', { name: 'two', rules: [] })
  await alice.must('POST', '/repos/migrate', { clone_addr: `${forge.url}${at}.git`, repo_name: 'mirror', mirror: true })
  const admin = await Browser.of(forge, 'root')
  await admin.submit('/admin/auths/openid/new', 'action="/admin/auths/openid/new"', {
    ...{ name: 'first', active: 'true', discovery_url: 'http://127.0.0.1:9/', client_id: 'forge', secret: 'x' },
  })
  const source = /href="(\/admin\/auths\/\d+)"/.exec((await admin.get('/admin/auths')).text)?.[1] ?? ''
  const browser = await Browser.of(forge, 'alice')
  const rule = async (list: string): Promise<string> => {
    const to = { type: 'generic', keep_count: '5', remove_days: '30', keep_pattern: 'first', enabled: 'true' }
    await browser.submit(list, `action="${list}"`, to)
    return new RegExp(`${list}/rules/\\d+`).exec((await browser.get(list)).text)?.[0] ?? ''
  }
  const [userRule, orgRule] = [await rule('/user/settings/packages'), await rule('/org/guild/settings/packages')]
  const replies = '/user/settings/replies'
  await browser.submit(replies, `action="${replies}"`, { title: 'first', content: 'first' })
  const reply = new RegExp(`${replies}/\\d+`).exec((await browser.get(replies)).text)?.[0] ?? ''
  /** A form at the address of its page. */
  const own = (page: string, field: string, theirs = 'theirs', mine = 'mine'): Edited => ({
    ...{ page, action: page, field },
    values: [theirs, mine],
  })
  const form = (page: string, action: string, field: string, theirs = 'theirs', mine = 'mine'): Edited => ({
    ...own(page, field, theirs, mine),
    action,
  })
  const url = ['url', 'http://localhost:9/theirs', 'http://localhost:9/mine'] as const
  const conversation = (part: string, ...more: readonly [field: string, theirs: string, mine: string]) =>
    form(`${at}/issues/${issue.number}?edit=${part}`, `${at}/issues/${issue.number}/${part}`, ...more)
  return {
    '/admin/users/{username}': own('/admin/users/bob', 'full_name'),
    '/admin/quota/rules/{quotarule}': own('/admin/quota/rules/small', 'limit', '2000000', '3000000'),
    '/admin/users/{username}/quota': own('/admin/users/alice/quota', 'groups', 'one', 'two'),
    '/admin/auths/{id}': own(source, 'client_id'),
    '/admin/hooks/{id}': own(`/admin/hooks/${ids.adminHook}`, ...url),
    '/{username}/{reponame}/topics': form(at, `${at}/topics`, 'topics'),
    '/{username}/{reponame}/issues/{index}/title': conversation('title', 'title', 'theirs', 'mine'),
    '/{username}/{reponame}/issues/{index}/labels': conversation('labels', 'label', String(ids.label), ''),
    '/{username}/{reponame}/issues/{index}/assignees': conversation('assignees', 'assignee', 'alice', ''),
    '/{username}/{reponame}/issues/{index}/deadline': conversation('deadline', 'due', '2030-01-01', '2030-01-02'),
    '/{username}/{reponame}/pulls/{index}/title': form(
      `${at}/pulls/${pull.number}`,
      `${at}/pulls/${pull.number}/title`,
      'title',
    ),
    '/{username}/{reponame}/labels/{id}/edit': form(
      `${at}/labels?edit=${ids.label}`,
      `${at}/labels/${ids.label}/edit`,
      'description',
    ),
    '/org/{org}/settings/labels/{id}/edit': form(
      `/org/guild/settings/labels?edit=${ids.orgLabel}`,
      `/org/guild/settings/labels/${ids.orgLabel}/edit`,
      'description',
    ),
    '/{username}/{reponame}/milestones/{id}/edit': own(`${at}/milestones/${ids.milestone}/edit`, 'content'),
    '/{username}/{reponame}/projects/{id}/edit': own(`${at}/projects/${ids.repoView}/edit`, 'description'),
    '/org/{org}/projects/{id}/edit': own(`/org/guild/projects/${ids.orgView}/edit`, 'description'),
    '/user/projects/{id}/edit': own(`/user/projects/${ids.userView}/edit`, 'description'),
    '/{username}/{reponame}/releases/edit/{tag+}': own(`${at}/releases/edit/v1`, 'content'),
    '/{username}/{reponame}/settings': own(settings, 'description'),
    '/{username}/{reponame}/settings/units': form(settings, `${settings}/units`, 'wiki_branch'),
    '/{username}/{reponame}/settings/merging': form(
      ...([settings, `${settings}/merging`, 'default_merge_style', 'rebase', 'squash'] as const),
    ),
    '/{username}/{reponame}/settings/mirror': form(
      ...(['/alice/mirror/settings', '/alice/mirror/settings/mirror', 'mirror_interval', '10h', '11h'] as const),
    ),
    '/{username}/{reponame}/settings/branches/edit/{name+}': own(
      `${settings}/branches/edit/main`,
      'protected_file_patterns',
    ),
    '/{username}/{reponame}/settings/tags/{id}': own(`${settings}/tags/${ids.tagRule}`, 'name_pattern', 't*', 'm*'),
    '/{username}/{reponame}/settings/hooks/git/{name}': own(`${settings}/hooks/git/post-receive`, 'content'),
    '/{username}/{reponame}/settings/hooks/{id}': own(`${settings}/hooks/${ids.repoHook}`, ...url),
    '/{username}/{reponame}/settings/actions/variables/{variable}': own(`${settings}/actions/variables/FIRST`, 'data'),
    '/org/{org}/settings': own('/org/guild/settings', 'description'),
    '/org/{org}/settings/hooks/{id}': own(`/org/guild/settings/hooks/${ids.orgHook}`, ...url),
    '/org/{org}/settings/actions/variables/{variable}': own('/org/guild/settings/actions/variables/FIRST', 'data'),
    '/org/{org}/settings/packages/rules/{id}': own(orgRule, 'keep_pattern'),
    '/org/{org}/teams/{team}/edit': own('/org/guild/teams/crew/edit', 'description'),
    '/{username}/-/pins': own('/alice/-/pins', 'repositories', at.slice(1), 'alice/mirror'),
    '/user/settings': own('/user/settings', 'description'),
    '/user/settings/appearance': own('/user/settings/appearance', 'theme', 'dark', 'light'),
    '/user/settings/notifications': form(
      ...(['/user/settings/notifications', '/user/settings/notifications', 'email_notifications'] as const),
      ...(['onmention', 'disabled'] as const),
    ),
    '/user/settings/account/email/visibility': form(
      ...(['/user/settings/account', '/user/settings/account/email/visibility', 'hide_email', 'true', ''] as const),
    ),
    '/user/settings/applications/oauth2/{id}': own(`/user/settings/applications/oauth2/${ids.application}`, 'name'),
    '/user/settings/hooks/{id}': own(`/user/settings/hooks/${ids.userHook}`, ...url),
    '/user/settings/actions/variables/{variable}': own('/user/settings/actions/variables/FIRST', 'data'),
    '/user/settings/packages/rules/{id}': own(userRule, 'keep_pattern'),
    '/user/settings/replies/{id}': own(reply, 'content'),
  }
}

const hasTwin = (operation: NamedOperation): operation is NamedOperation & TwinOperation => 'twin' in operation

const open = () =>
  startForge({
    users: ['alice', 'bob'],
    settings: {
      ...everythingOn,
      security: { DISABLE_GIT_HOOKS: false },
      migrations: { ALLOW_LOCALNETWORKS: true },
      webhook: { ALLOWED_HOST_LIST: '*' },
    },
  })

test('no form overwrites what somebody else wrote since it was shown', async () => {
  await using forge = await open()
  const forms = await editedForms(forge)
  const operations = forge.services.operations().filter((each) => hasTwin(each) && each.method === 'POST')
  const declared = operations.filter((each) => hasTwin(each) && each.edits)
  assert.deepEqual(declared.map(({ path }) => path).sort(), Object.keys(forms).sort(), 'each form that edits is tried')

  const byId = new Map(
    forge.services
      .operations()
      .filter((each) => !isPage(each))
      .map((each) => [each.id, each]),
  )
  const unguarded = operations.filter(
    (each) =>
      hasTwin(each) &&
      !each.edits &&
      byId.get(each.twin ?? '')?.method === 'PATCH' &&
      !exempt.some(([ids]) => ids.test(each.id)),
  )
  assert.deepEqual(
    unguarded.map(({ id, path }) => `${id} ${path}`),
    [],
    'a form that edits declares it',
  )

  const browsers = { alice: await Browser.of(forge, 'alice'), root: await Browser.of(forge, 'root') }
  const wrong: string[] = []
  for (const [path, { page, action, field, values }] of Object.entries(forms)) {
    const browser = browsers[page.startsWith('/admin') || path.includes('/hooks/git/') ? 'root' : 'alice']
    const listed = (value: string) => (value === '' ? [] : [value])
    try {
      const [theirs, mine] = values
      // oxlint-disable-next-line no-await-in-loop -- each form in turn
      const shown = shownFields((await browser.get(page)).text, action)
      // oxlint-disable-next-line no-await-in-loop -- each form in turn
      const first = await browser.post(action, { ...shown, [field]: listed(theirs) })
      assert.equal(first.status, 303, `their edit: ${first.text.slice(0, 200)}`)
      // oxlint-disable-next-line no-await-in-loop -- each form in turn
      const again = await browser.post(action, { ...shown, [field]: listed(theirs) })
      assert.equal(again.status, 303, 'the same edit twice')
      // A box has no third value: a form that leaves it as it was would reset it.
      const sent = mine === '' ? shown : { ...shown, [field]: [mine] }
      // oxlint-disable-next-line no-await-in-loop -- each form in turn
      const second = await browser.post(action, sent)
      assert.equal(second.status, 409, `my edit: ${second.status}`)
      const kept = shownFields(second.text, action)
      assert.deepEqual(kept[field], [mine === '' ? theirs : mine], 'what both typed is kept')
      if (mine !== '') assert.match(second.text, /Somebody else (?:changed|emptied) this meanwhile/)
      // oxlint-disable-next-line no-await-in-loop -- each form in turn
      const third = await browser.post(action, { ...kept, [field]: listed(mine) })
      assert.equal(third.status, 303, 'what was shown is replaced knowingly')
    } catch (error) {
      wrong.push(`${path}: ${(error as Error).message.split('\n')[0]}`)
    }
  }
  assert.deepEqual(wrong, [])
})

test('editReleaseAct: fields that only one person changed are joined, and each form keeps to its own fields', async () => {
  await using forge = await open()
  const repo = await forge.given.repo({ owner: 'alice', name: 'r' })
  const alice = forge.as('alice')
  const { id } = (await alice.must('POST', `${repo.api}/releases`, { tag_name: 'v1', name: 'one', body: 'notes\n' }))
    .json
  const browser = await Browser.of(forge, 'alice')
  const at = '/alice/r/releases/edit/v1'
  const shown = shownFields((await browser.get(at)).text, at)
  await alice.must('PATCH', `${repo.api}/releases/${id}`, { name: 'their title', prerelease: true })
  const refused = await browser.post(at, { ...shown, content: 'my notes' })
  assert.equal(refused.status, 409)
  const joined = shownFields(refused.text, at)
  assert.deepEqual(
    [joined['title'], joined['content'], joined['is_prerelease']],
    [['their title'], ['my notes'], ['true']],
  )
  assert.equal((await browser.post(at, joined)).status, 303)
  const { name, body, prerelease } = (await alice.get(`${repo.api}/releases/${id}`)).json
  assert.deepEqual([name, body, prerelease], ['their title', 'my notes', true])

  const settings = '/alice/r/settings'
  const general = shownFields((await browser.get(settings)).text, settings)
  await alice.must('PATCH', repo.api, { default_merge_style: 'squash', has_wiki: false })
  assert.equal(
    (await browser.post(settings, { ...general, description: 'mine' })).status,
    303,
    'other forms do not matter',
  )
})
