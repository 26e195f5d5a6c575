/**
 * The requests to an instance filled by `scale-fill.mjs`: every operation that lists or searches, with each filter and
 * order, at the first and at deep pages. They derive from the declared operations, so a new one is included; an unknown
 * query parameter fails the run.
 */
import { askers, begin } from './scale-fill.mjs'

/** Lists read from git, which the fill does not contain; `npm run bench` measures them. */
const fromGit = new Set([
  'getTree',
  'repoCompareDiff',
  'repoGetAllCommits',
  'repoGetCombinedStatusByRef',
  'repoGetContents',
  'repoGetContentsList',
  'repoGetIssueTemplates',
  'repoGetLanguages',
  'repoGetPullRequestCommits',
  'repoGetPullRequestFiles',
  'repoGetWikiPageRevisions',
  'repoGetWikiPages',
  'repoListAllGitRefs',
  'repoListBranches',
  'repoListGitHooks',
  'repoListGitRefs',
  'repoListStatuses',
  'repoListStatusesByRef',
  'repoListTags',
])

/** Operations that wait for an event, list no rows of the instance, or repeat another operation. */
const others = new Set([
  'activitypubPersonFollowers',
  'activitypubPersonFollowing',
  'activitypubPersonOutbox',
  'adminListHookDeliveries',
  'adminListUsersInQuotaGroup',
  'adminUnadoptedList',
  'getLabelTemplateInfo',
  'listGitignoresTemplates',
  'listLabelTemplates',
  'listLicenseTemplates',
  'listWorkflowJobLogLines',
  'orgListHookDeliveries',
  'userListHookDeliveries',
  // They search like those of an organization.
  'userListViewColumns',
  'userListViewIssues',
])

/** Values of path parameters. */
const places = {
  username: 'org1',
  reponame: 'hot',
  org: 'org1',
  index: '1',
  sha: '0123456789abcdef0123456789abcdef10000001',
  timetrackingusername: 'u2',
  run_id: '1',
  job_id: '1',
  type: 'generic',
  name: 'package3',
  version: '1.0.0',
  id: '1',
}
const ofPerson = { username: 'u2' }
const placesOf = {
  'repoListReleaseAttachments.id': '1',
  'issueListIssueCommentAttachments.id': '1',
  'repoListPullReviews.index': '5',
  'repoGetPullReviewComments.index': '5',
  // Found by `findPlaceholders`.
  'repoGetPullReviewComments.id': '{review}',
  'previewPackageCleanupRule.id': '{rule}',
  'repoListViewColumns.id': '{repoView}',
  'repoListViewIssues.id': '{repoView}',
  'orgListViewColumns.id': '{orgView}',
  'orgListViewIssues.id': '{orgView}',
}

/** Fractions of an instance's lifetime: near its beginning, a little later, and in the middle of its latest changes. */
const moments = { '{early}': 0.002, '{soon}': 0.042, '{midway}': 0.73 }

/**
 * Values that differ between instances, by the placeholder that requests use: ids, and times chosen so that each excludes
 * the same share of a small and of a large instance.
 * @param url address of the instance
 * @param size numbers of rows
 */
export async function findPlaceholders(url, size) {
  const ask = async (path, body) => {
    const reply = await fetch(`${url}/api/v1${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `token ${askers.administrator}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    if (!reply.ok) throw new Error(`${reply.status} ${path}: ${await reply.text()}`)
    return reply.json()
  }
  const teams = await ask('/orgs/org1/teams/search?q=developers')
  const reviews = await ask('/repos/org1/hot/pulls/5/reviews')
  const rules = await ask('/packages/org1/-/cleanup-rules')
  // The cleanup is off: it would remove nearly all rows.
  const rule =
    rules[0] ?? (await ask('/packages/org1/-/cleanup-rules', { type: 'generic', enabled: false, remove_days: 1 }))
  const viewOf = async (path) => {
    const [view] = await ask(path)
    const made = { title: 'view', layout: 'board', grouping: 'state', query: 'is:open' }
    return (view ?? (await ask(path, made))).id
  }
  const [repoView, orgView] = [await viewOf('/repos/org1/hot/views'), await viewOf('/orgs/org1/views')]
  const times = Object.entries(moments).map(([name, share]) => [
    name,
    new Date((begin + Math.round(share * size.issues)) * 1000).toISOString(),
  ])
  return {
    '{teamid}': teams.data[0].id,
    '{review}': reviews[0].id,
    '{rule}': rule.id,
    '{repoView}': repoView,
    '{orgView}': orgView,
    ...Object.fromEntries(times),
  }
}

/** The path and query of a request on an instance, and the page. */
export function addressIn(places, { path, given }, page) {
  const named = (text) => text.replace(/^\{\w+\}$/, (name) => places[name])
  const query = Object.entries(page === undefined ? given : { ...given, page })
    .map(([name, value]) => `${name}=${encodeURIComponent(named(String(value)))}`)
    .join('&')
  return `${path.replace(/\{\w+\}/, (name) => places[name])}${query === '' ? '' : `?${query}`}`
}

/** The last page lies behind all rows. */
const times = [...Object.keys(moments), '2026-01-01T00:00:00Z']
/** Values of query parameters, by name or by operation and name; an empty list means that the value does not change the cost. */
const values = {
  page: [],
  column: ['open', 'closed'],
  cursor: [],
  limit: [],
  after: [],
  before: times,
  since: times,
  state: ['open', 'closed', 'all'],
  q: ['word7', 'common', 'rareword', 'nothing-has-this'],
  type: ['issues', 'pulls'],
  labels: ['label-3', 'label-3,label-4'],
  milestones: ['milestone-3', 'milestone-4'],
  milestone: ['3', '4'],
  created_by: ['u2', 'u20'],
  assigned_by: ['u2', 'u20'],
  mentioned_by: ['u2', 'u20'],
  poster: ['u2', 'u20'],
  user: ['u2', 'u20'],
  owner: ['u2', 'org1'],
  date: ['2020-09-13'],
  wait: [],
  kind: ['issue.opened', 'repo.created'],
  name: ['milestone-1'],
  fingerprint: ['SHA256:4'],
  key_id: ['1'],
  'issueListIssues.sort': [
    'latest',
    'oldest',
    'recentupdate',
    'leastupdate',
    'mostcomment',
    'leastcomment',
    'nearduedate',
    'farduedate',
  ],
  'repoListPullRequests.sort': ['oldest', 'recentupdate', 'leastupdate', 'mostcomment', 'leastcomment', 'priority'],
  'repoListPullRequests.labels': ['3'],
  'issueSearchIssues.team': [],
  'issueSearchIssues.owner': ['u2', 'org1', 'org2'],
  priority_repo_id: ['7'],
  assigned: ['true'],
  created: ['true'],
  mentioned: ['true'],
  review_requested: ['true'],
  reviewed: ['true'],
  'repoSearch.q': ['repo7', 'repo', 'word7', 'topic7', 'nothing-has-this'],
  'repoSearch.sort': ['alpha', 'created', 'updated', 'size', 'git_size', 'lfs_size', 'stars', 'forks', 'id'],
  'repoSearch.topic': [],
  includeDesc: [],
  order: ['desc'],
  uid: ['2', '7'],
  priority_owner_id: ['2'],
  team_id: ['1'],
  starredBy: ['2'],
  private: ['false', 'true'],
  is_private: ['false', 'true'],
  template: ['true', 'false'],
  archived: ['true', 'false'],
  mode: ['source', 'fork', 'mirror', 'collaborative'],
  exclusive: [],
  order_by: [
    'name',
    'id',
    'newest',
    'oldest',
    'recentupdate',
    'leastupdate',
    'alphabetically',
    'reversealphabetically',
    'size',
    'reversesize',
    'gitsize',
    'reversegitsize',
    'lfssize',
    'reverselfssize',
    'moststars',
    'feweststars',
    'mostforks',
    'fewestforks',
  ],
  'userSearch.q': ['u7', 'person', 'example', 'nothing-has-this'],
  'userSearch.uid': ['2'],
  'teamSearch.q': ['team 7', 'team', 'nothing-has-this'],
  include_desc: ['true'],
  'topicSearch.q': ['topic7', 'topic', 'nothing-has-this'],
  'adminSearchEmails.q': ['u7@', 'example', 'nothing-has-this'],
  'adminSearchUsers.sort': [
    'oldest',
    'newest',
    'alphabetically',
    'reversealphabetically',
    'lastlogin',
    'reverselastlogin',
    'recentupdate',
    'leastupdate',
  ],
  source_id: ['0'],
  login_name: ['u7'],
  'issueListLabels.sort': ['leastissues', 'mostissues', 'reversealphabetically', 'alphabetically'],
  'orgListLabels.sort': ['leastissues', 'mostissues', 'reversealphabetically', 'alphabetically'],
  draft: ['true', 'false'],
  'pre-release': ['true', 'false'],
  'repoListReleases.q': ['Release 7', 'nothing-has-this'],
  'listPackages.type': ['generic', 'npm', 'cargo'],
  'listPackages.q': ['package7', 'package', 'nothing-has-this'],
  'adminSearchRunJobs.labels': ['linux'],
  'orgSearchRunJobs.labels': ['linux'],
  'repoSearchRunJobs.labels': ['linux'],
  'userSearchRunJobs.labels': ['linux'],
  event: ['push', 'release'],
  status: ['success', 'failure', 'running'],
  run_number: ['7'],
  head_sha: ['0123456789abcdef0123456789abcdef10000007'],
  'listDeployments.sha': ['0123456789abcdef0123456789abcdef10000007'],
  'listDeployments.environment': ['production', 'nothing-has-this'],
  'adminListJobs.state': ['waiting', 'failed'],
  'adminReadEvents.name': ['issue.opened', 'repo.created'],
  repo_id: ['1'],
  owner_id: ['2'],
  all: ['true'],
  'status-types': ['unread', 'pinned', 'read'],
  'subject-type': ['issue', 'pull', 'repository'],
  'only-performed-by': ['true'],
  'listEvents.repo': ['org1/hot'],
  'adminListHookDeliveries.state': [],
  'orgListHookDeliveries.state': [],
  'repoListHookDeliveries.state': ['failed', 'delivered', 'waiting'],
  'listRepoCaches.key': ['linux'],
  'adminReadAuditLog.action': ['sign_in.failed', 'repo.deleted'],
  'adminReadAuditLog.actor': ['u2'],
  'adminReadAuditLog.address': ['127.0.0.1'],
  'adminReadAuditLog.outcome': ['done', 'refused'],
  object_kind: ['repo'],
  object_id: ['1'],
  until: times,
  'userListHookDeliveries.state': [],
}
/** Parameters that select the order. */
const orders = new Set(['sort', 'order_by'])
/** Parameters that search for words. */
const isWord = (name) => name === 'q'
/** Parameters that exclude many rows of each order: their pairs are also measured on deep pages. */
const isTime = (name) => name === 'since' || name === 'before'
/** Parameters that need another parameter. */
const beside = { order: { sort: 'stars' }, team: { owner: 'org1' } }

const isArray = (schema) => typeof schema === 'object' && schema.type === 'array'

const isList = ({ method, base, reply, query, path }) =>
  method === 'GET' &&
  base !== 'site' &&
  !path.endsWith('/stream') &&
  ('page' in query || 'limit' in query || isArray(reply[200]))

/**
 * The requests for a list of declared operations. Each has a `name`, the `operation` id, the parts that `addressIn` turns
 * into an address, `isWords`, and `pages`, whether deep pages exist.
 */
export function requestsOf(operations) {
  const requests = []
  const unknown = []
  for (const operation of operations.filter(isList)) {
    const { id, path, query, base } = operation
    if (fromGit.has(id) || others.has(id)) continue
    const root = base === 'vendor' ? '/api/forgejo/v1' : '/api/v1'
    const isOfPerson = !path.startsWith('/repos/') && !path.startsWith('/packages/')
    const address = path.replaceAll(/\{([^}+]+)\+?\}/g, (_, name) => {
      if (name === 'teamid') return '{teamid}'
      const known = placesOf[`${id}.${name}`] ?? (isOfPerson ? ofPerson[name] : undefined) ?? places[name]
      if (known === undefined) unknown.push(`{${name}} in the path of ${id}`)
      return known
    })
    const add = (given, extra = {}) => {
      const text = Object.entries(given).map(([name, value]) => `${name}=${value}`)
      requests.push({
        operation: id,
        name: [id, text.join('&')].filter(Boolean).join(' '),
        path: root + address,
        given,
        isWords: Object.keys(given).some(isWord),
        pages: 'page' in query,
        ...extra,
      })
    }
    const known = (name) => values[`${id}.${name}`] ?? values[name]
    for (const name of Object.keys(query)) if (known(name) === undefined) unknown.push(`${name} in the query of ${id}`)
    add({}, { isFirst: true })
    if ('limit' in query) add({ limit: 50 })
    const filters = Object.keys(query)
      .filter((name) => !orders.has(name))
      .flatMap((name) => (known(name) ?? []).map((value) => ({ ...beside[name], [name]: value })))
    const sorts = Object.keys(query)
      .filter((name) => orders.has(name))
      .flatMap((name) => (known(name) ?? []).map((value) => ({ [name]: value })))
    for (const filter of filters) add(filter, { isFilter: true })
    for (const sort of sorts) add(sort, { isSort: true })
    for (const filter of filters) {
      const isDeepPair = Object.keys(filter).some(isTime)
      for (const sort of sorts) add({ ...filter, ...sort }, { isPair: true, isDeepPair })
    }
  }
  if (unknown.length > 0) {
    throw new Error(`scripts/lib/scale-requests.mjs knows nothing to ask for:\n  ${unknown.join('\n  ')}`)
  }
  return requests
}
