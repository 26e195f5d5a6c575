import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commitFiles } from '../src/actions/actions.test-support.ts'
import type { NamedOperation } from '../src/http/operation.ts'
import { startForge, type Forge } from '../src/testing/forge.ts'
import { upload } from '../src/testing/upload.ts'
import { everythingOn, sampleOf, type SampleSchema } from './authorization-world.ts'

/**
 * PATCH and PUT with one optional field change that field and no other field of the resource. The fields come from the declared
 * operations. The table names a resource for each operation, values that the schema does not give, and fields that follow.
 */

interface Case {
  /** The address to send to, below the API root. */
  readonly edit: string
  /** The address to read the resource from; `edit` unless set. A list is searched for the entry whose fields match `entry`. */
  readonly read?: string
  readonly entry?: Readonly<Record<string, unknown>>
  /** The address of the resource after the field that renames it was sent. */
  readonly renamed?: string
  /** Required fields, which each request carries. */
  readonly always?: Readonly<Record<string, unknown>>
  readonly values?: Readonly<Record<string, unknown>>
  /** Fields of the reply that change with a field of the request, where the names differ or others follow. */
  readonly follows?: Readonly<Record<string, readonly string[]>>
}

/** Operations whose optional fields describe no stored resource, each with the reason. */
const exempt = new Map([
  ['repoReplaceAllFlags', 'the request replaces the whole list'],
  ['repoUpdateTopics', 'the request replaces the whole list'],
  ['issueReplaceLabels', 'the request replaces the whole list'],
  ['repoAddCollaborator', 'the request has one field'],
  ['repoEditGitHook', 'the request has one field'],
  ['repoUpdateFile', 'the fields describe a commit'],
  ['repoEditWikiPage', 'the fields describe a commit'],
  ['issueEditComment', 'the field is the time of the change'],
  ['issueEditCommentDeprecated', 'the field is the time of the change'],
])

const emptyText = { full_name: '', description: '', website: '', location: '' }
const hookDefaults = { events: ['push'], branch_filter: '', authorization_header: '' }

/**
 * Fields that a request resets when it leaves them out, with the value that they get. Recorded exchanges show each:
 * organizations/org-edit ("text fields left out are emptied"), webhooks/repo-crud ("a change clears the branch filter and the
 * authorization", "a change without events falls back to push") and organizations/org-hooks ("events fall back to push").
 */
const resetWhenAbsent = new Map<string, Readonly<Record<string, unknown>>>([
  ['orgEdit', emptyText],
  ['adminEditHook', hookDefaults],
  ['orgEditHook', hookDefaults],
  ['repoEditHook', hookDefaults],
  ['userEditHook', hookDefaults],
])

const hook = (path: string): Case => ({
  edit: path,
  values: {
    config: { url: 'http://hooks.example.com/2', content_type: 'json' },
    events: ['create'],
    branch_filter: 'main',
    authorization_header: 'Bearer other',
  },
  follows: { config: ['config', 'url', 'content_type'] },
})

const variable = (path: string): Case => ({
  edit: `${path}/actions/variables/colour`,
  always: { value: 'blue' },
  values: { name: 'shade' },
  renamed: `${path}/actions/variables/shade`,
})

const label = (path: string): Case => ({ edit: path, values: { name: 'sort', color: '#aabbcc' } })
const savedView = (path: string): Case => ({
  edit: path,
  values: { query: 'is:closed', layout: 'list', grouping: 'milestone', label_scope: 'status', columns: ['open'] },
})

async function makeCases(forge: Forge): Promise<Record<string, Case>> {
  const [alice, root] = [forge.as('alice'), forge.as('root')]
  const { api } = await forge.given.repo({ owner: 'alice', name: 'home' })
  const made = async (path: string, body: unknown) => (await alice.must('POST', path, body)).json
  const settings = {
    type: 'gitea',
    config: { url: 'http://hooks.example.com/1', content_type: 'form' },
    events: ['fork'],
    branch_filter: 'stable',
    authorization_header: 'Bearer first',
  }
  await forge.given.org({ owner: 'alice', name: 'guild' })
  const given = { full_name: 'G', description: 'd', website: 'https://guild.example.com', location: 'here' }
  await alice.must('PATCH', '/orgs/guild', { ...given, email: 'guild@example.com' })
  const team = await made('/orgs/guild/teams', {
    name: 'crew',
    description: 'd',
    permission: 'read',
    units: ['repo.code'],
  })
  await made(`${api}/issues`, { title: 'one', body: 'b', assignees: ['alice'], due_date: '2031-01-01T00:00:00Z' })
  const kind = await made(`${api}/labels`, { name: 'kind', color: '#001122', description: 'd', exclusive: false })
  const first = await made(`${api}/milestones`, { title: 'first', description: 'd', due_on: '2031-01-01T00:00:00Z' })
  await commitFiles(forge, api, { a: 'a' }, { newBranch: 'topic' })
  await commitFiles(forge, api, { b: 'b' }, { newBranch: 'other' })
  await made(`${api}/pulls`, { title: 'two', body: 'b', head: 'topic', base: 'main', assignees: ['alice'] })
  await alice.must('PATCH', `${api}/issues/1`, { milestone: first.id })
  await alice.must('POST', `${api}/issues/1/labels`, { labels: [kind.id] })
  const release = await made(`${api}/releases`, { tag_name: 'v1', name: 'n', body: 'b' })
  await made(`${api}/branch_protections`, {
    rule_name: 'main',
    enable_push: true,
    enable_push_whitelist: true,
    push_whitelist_usernames: ['alice'],
    required_approvals: 1,
    protected_file_patterns: 'a',
  })
  const tagRule = await made(`${api}/tag_protections`, { name_pattern: 'v*', whitelist_usernames: ['alice'] })
  const cleanup = await made('/packages/alice/-/cleanup-rules', { type: 'generic', keep_count: 5, remove_days: 3 })
  await root.must('POST', '/admin/quota/rules', { name: 'all', limit: -1, subjects: ['size:all'] })
  const workshop = await forge.given.repo({ owner: 'alice', name: 'workshop' })
  await commitFiles(forge, workshop.api, { a: 'a' }, { newBranch: 'topic' })
  await alice.must('PATCH', workshop.api, {
    description: 'd',
    website: 'https://home.example.com',
    external_tracker: {
      external_tracker_url: 'https://bugs.example.com',
      external_tracker_format: 'https://bugs.example.com/{index}',
    },
    has_issues: true,
    has_wiki: true,
    external_wiki: { external_wiki_url: 'https://wiki.example.com' },
  })
  const elsewhere = await forge.given.repo({ owner: 'alice', name: 'elsewhere' })
  await alice.must('PATCH', elsewhere.api, { has_wiki: true, globally_editable_wiki: true })
  await forge.account('person')
  const orgLabel = await made('/orgs/guild/labels', { name: 'kind', color: '#001122', description: 'd' })
  const view = {
    title: 'Now',
    description: 'd',
    query: 'is:open',
    layout: 'board',
    grouping: 'state',
    columns: ['closed', 'open'],
  }
  const repoView = await made(`${api}/views`, view)
  const orgView = await made('/orgs/guild/views', view)
  const userView = await made('/user/views', view)
  const repoHook = await made(`${elsewhere.api}/hooks`, settings)
  const orgHook = await made('/orgs/guild/hooks', settings)
  const userHook = await made('/user/hooks', settings)
  const siteHook = (await root.must('POST', '/admin/hooks', settings)).json
  const attached = async (path: string): Promise<string> => {
    const reply = await alice.post(`${path}/assets`, undefined, upload('a.txt', 'content'))
    return `${path}/assets/${reply.json.id}`
  }
  const remark = await made(`${api}/issues/1/comments`, { body: 'c' })
  const external = upload('b.txt', '')
  external.raw.delete('attachment')
  external.raw.set('external_url', 'https://files.example.com/b.txt')
  const releaseFile = (await alice.post(`${api}/releases/${release.id}/assets`, undefined, external)).json
  for (const owner of ['/orgs/guild', '/user', api]) {
    await alice.must('POST', `${owner}/actions/variables/colour`, { value: 'blue' })
  }
  const application = { name: 'app', redirect_uris: ['https://app.example.com/'] }
  const registered = await made('/user/applications/oauth2', { ...application, confidential_client: true })
  const upstream = { url: 'https://npm.example.com' }
  await alice.must('PUT', '/packages/alice/-/upstreams/npm', {
    ...upstream,
    username: 'u',
    secret: 's',
    reserved: ['@alice/*'],
  })
  return {
    issueEditIssueAttachment: {
      edit: await attached(`${api}/issues/1`),
      values: { name: 'c.txt' },
      follows: { browser_download_url: [] },
    },
    issueEditIssueCommentAttachment: {
      edit: await attached(`${api}/issues/comments/${remark.id}`),
      values: { name: 'c.txt' },
      follows: { browser_download_url: [] },
    },
    repoEditReleaseAttachment: {
      edit: `${api}/releases/${release.id}/assets/${releaseFile.id}`,
      values: { browser_download_url: 'https://files.example.com/c.txt' },
    },
    updateOrgVariable: variable('/orgs/guild'),
    updateRepoVariable: variable(api),
    updateUserVariable: variable('/user'),
    userUpdateOAuth2Application: { edit: `/user/applications/oauth2/${registered.id}`, always: application },
    setPackageUpstream: {
      edit: '/packages/alice/-/upstreams/npm',
      read: '/packages/alice/-/upstreams',
      entry: { type: 'npm' },
      always: upstream,
      values: { username: 'v', secret: '', reserved: ['@guild/*'] },
      follows: { secret: ['has_secret'] },
    },
    updateUserSettings: {
      edit: '/user/settings',
      values: { website: 'https://a.example.com', email_notifications: 'disabled' },
    },
    orgEdit: {
      edit: '/orgs/guild',
      values: { email: 'g2@example.com', website: 'https://b.example.com', visibility: 'limited' },
    },
    orgEditTeam: {
      edit: `/teams/${team.id}`,
      values: {
        name: 'gang',
        permission: 'write',
        units: ['repo.code', 'repo.issues'],
        units_map: { 'repo.wiki': 'read' },
      },
      follows: {
        permission: ['permission', 'units_map'],
        units: ['units', 'units_map'],
        units_map: ['units', 'units_map', 'permission'],
      },
    },
    repoEditBranchProtection: {
      edit: `${api}/branch_protections/main`,
      values: {
        merge_whitelist_usernames: ['alice'],
        approvals_whitelist_username: ['alice'],
        status_check_contexts: ['ci'],
        required_approvals: 2,
        // Switching the unit off empties its lists, which come last in the request.
        enable_push: true,
        enable_push_whitelist: true,
      },
    },
    repoEditTagProtection: { edit: `${api}/tag_protections/${tagRule.id}`, values: { name_pattern: 'w*' } },
    repoEdit: {
      edit: workshop.api,
      values: {
        name: 'workshop',
        website: 'https://c.example.com',
        default_branch: 'topic',
        wiki_branch: 'pages',
        internal_tracker: { enable_time_tracker: true },
        external_tracker: { external_tracker_url: 'https://bugs2.example.com' },
        external_wiki: { external_wiki_url: 'https://wiki2.example.com' },
        default_merge_style: 'squash',
        default_update_style: 'rebase',
        has_issues: true,
        has_wiki: true,
        has_pull_requests: true,
        mirror_interval: '10h',
      },
      follows: {
        internal_tracker: ['internal_tracker', 'external_tracker', 'open_issues_count'],
        external_tracker: ['internal_tracker', 'external_tracker'],
        has_issues: ['has_issues', 'internal_tracker', 'external_tracker', 'open_issues_count'],
        has_wiki: ['has_wiki', 'external_wiki', 'globally_editable_wiki'],
        archived: ['archived', 'archived_at'],
      },
    },
    issueEditIssue: {
      edit: `${api}/issues/1`,
      values: {
        ref: 'main',
        assignee: 'root',
        assignees: ['alice'],
        milestone: 0,
        state: 'closed',
        due_date: '2032-01-01T00:00:00Z',
        unset_due_date: true,
      },
      follows: {
        assignee: ['assignee', 'assignees'],
        assignees: ['assignee', 'assignees'],
        state: ['state', 'closed_at'],
        unset_due_date: ['due_date'],
      },
    },
    issueEditLabel: label(`${api}/labels/${kind.id}`),
    orgEditLabel: label(`/orgs/guild/labels/${orgLabel.id}`),
    repoEditView: savedView(`${api}/views/${repoView.id}`),
    orgEditView: savedView(`/orgs/guild/views/${orgView.id}`),
    userEditView: savedView(`/user/views/${userView.id}`),
    issueEditMilestone: {
      edit: `${api}/milestones/${first.id}`,
      values: { state: 'closed' },
      follows: { state: ['state', 'closed_at'] },
    },
    repoEditPullRequest: {
      edit: `${api}/pulls/2`,
      values: {
        base: 'other',
        assignee: 'root',
        assignees: ['alice'],
        milestone: first.id,
        labels: [kind.id],
        state: 'closed',
        due_date: '2032-01-01T00:00:00Z',
        unset_due_date: true,
      },
      follows: {
        base: ['base', 'merge_base', 'mergeable'],
        assignee: ['assignee', 'assignees'],
        assignees: ['assignee', 'assignees'],
        // The milestone and the repositories show the number of open pull requests.
        state: ['state', 'closed_at', 'mergeable', 'milestone', 'base', 'head'],
        unset_due_date: ['due_date'],
      },
    },
    repoEditRelease: {
      edit: `${api}/releases/${release.id}`,
      values: { tag_name: 'v2', target_commitish: 'topic', draft: false },
      follows: { tag_name: ['tag_name', 'html_url', 'tarball_url', 'zipball_url'] },
    },
    editPackageCleanupRule: {
      edit: `/packages/alice/-/cleanup-rules/${cleanup.id}`,
      values: { keep_pattern: 'a', remove_pattern: 'b' },
    },
    adminEditQuotaRule: { edit: '/admin/quota/rules/all', values: { subjects: ['size:repos:all'] } },
    adminEditUser: {
      edit: '/admin/users/person',
      read: '/users/person',
      always: { login_name: 'person', source_id: 0 },
      values: {
        email: 'p2@example.com',
        password: 'another-Passw0rd',
        website: 'https://p.example.com',
        visibility: 'limited',
        active: true,
      },
      follows: { password: [], admin: ['is_admin'] },
    },
    adminEditHook: hook(`/admin/hooks/${siteHook.id}`),
    orgEditHook: hook(`/orgs/guild/hooks/${orgHook.id}`),
    repoEditHook: hook(`${elsewhere.api}/hooks/${repoHook.id}`),
    userEditHook: hook(`/user/hooks/${userHook.id}`),
  }
}

const optionalFields = ({ body }: NamedOperation): [string, SampleSchema][] => {
  if (body === undefined || !('properties' in body)) return []
  const { properties, required = [] } = body as unknown as {
    properties: Readonly<Record<string, SampleSchema>>
    required?: readonly string[]
  }
  return Object.entries(properties).filter(([name]) => !required.includes(name))
}

/** Times of changes: they show that something changed, not what. */
const times = new Set(['updated_at', 'updated'])

const changedFields = (before: Record<string, unknown>, after: Record<string, unknown>): string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => !times.has(name) && JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  )

test('PATCH and PUT with one optional field change nothing else', async () => {
  await using forge = await startForge({
    settings: { ...everythingOn, packages: { UPSTREAM_ALLOWED_HOST_LIST: '*' } },
    users: ['alice'],
  })
  const cases = await makeCases(forge)
  const wrong: string[] = []
  let sent = 0
  for (const operation of forge.services.operations()) {
    const { id, method, base } = operation
    if (base !== 'api' || (method !== 'PATCH' && method !== 'PUT') || exempt.has(id)) continue
    const fields = optionalFields(operation)
    const one = cases[id]
    if (!one) {
      if (fields.length > 0) wrong.push(`${id}: the table names no resource for it`)
      continue
    }
    const isSite = one.edit.startsWith('/admin/')
    const client = forge.as(isSite ? 'root' : 'alice')
    const read = async (path = one.read ?? one.edit) => {
      const { json } = await client.must('GET', path)
      if (!one.entry) return json
      return json.find((each: Record<string, unknown>) =>
        Object.entries(one.entry ?? {}).every(([name, value]) => each[name] === value),
      )
    }
    for (const [field, schema] of fields) {
      if (field === 'updated_at' || field in (one.always ?? {})) continue
      const before = await read()
      const value = one.values?.[field] ?? (schema.type === 'boolean' ? before[field] !== true : sampleOf(schema))
      const reply = await client.send(method, one.edit, { ...one.always, [field]: value })
      sent += 1
      if (reply.status >= 300) {
        wrong.push(`${id}, ${field}: ${reply.status} ${reply.text}`)
        continue
      }
      const after = await read(one.renamed)
      const reset = Object.entries(resetWhenAbsent.get(id) ?? {}).filter(([name]) => name !== field)
      const kept = reset.filter(([name, empty]) => JSON.stringify(after[name]) !== JSON.stringify(empty))
      if (kept.length > 0) wrong.push(`${id}, ${field}: ${kept.map(([name]) => name).join(', ')} not reset`)
      const allowed = [
        ...(one.follows?.[field] ?? [field]),
        ...Object.keys(one.always ?? {}),
        ...reset.map(([name]) => name),
      ]
      const others = changedFields(before, after).filter((name) => !allowed.includes(name))
      if (others.length > 0) wrong.push(`${id}, ${field}: ${others.join(', ')} changed as well`)
    }
  }
  assert.deepEqual(wrong, [])
  assert.ok(sent > 130, `${sent} fields were sent`)
})
