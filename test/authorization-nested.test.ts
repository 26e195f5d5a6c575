import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isPage, type NamedOperation } from '../src/http/operation.ts'
import type { ForgeClient } from '../src/testing/client.ts'
import { startForge, testPassword, type Forge } from '../src/testing/forge.ts'
import { bodyFor, eachOf, everythingOn } from './authorization-world.ts'
import * as otherAddresses from '../src/web/links/other-addresses.routes.ts'
import { imagesAs, makeBelongings, parametersOf, settingsOfBelongings, type Belongings } from './belongings.ts'

/**
 * Every operation ties ids and names below a repository, organization, account or the site to that parent: the owner of one
 * repository reaches nothing of another one and does not learn whether it exists. The test tries every declared path
 * parameter, except those that a table here names with a reason.
 */

/** Parameters that name the parent itself; `authorization.test.ts` covers them. */
const parents = new Set(['username', 'reponame', 'org', 'repository-id', 'user-id'])

/** Parameters that are no ids of belongings, with a value to use for them. */
const elsewhere: Readonly<Record<string, readonly (readonly [key: string, value?: string])[]>> = {
  'counts within its repository': [
    ['repos issues/index', '1'],
    ['repos pulls/index', '2'],
    ['repos pin/position', '1'],
    ['pages pulls/index', '2'],
    ['pages runs/number', '1'],
    ['pages jobs/position', '0'],
    ['activitypub issues/index', '1'],
  ],
  'the name of an account or of a team of the owner, which is no part of the place': [
    ['repos collaborators/collaborator'],
    ['repos subscriptions/user'],
    ['repos times/timetrackingusername'],
    ['repos teams/team'],
    ['users following/target'],
  ],
  'one of a few values': [
    ['repos commits/diffType', 'diff'],
    ['repos pulls/diffType', 'diff'],
    ['repos repos/ball_type', 'zipball'],
    ['pages commit/diffType', 'diff'],
    ['pages pulls/diffType', 'diff'],
    ['pages pages/form', 'rss'],
    ['packages upstreams/type', 'npm'],
    ['packages packages/type', 'generic'],
    ['admin cron/task'],
    ['repos git/id', 'pre-receive'],
    ['api openapi/family'],
  ],
  'known to the site alone': [
    ['gitignore templates/name'],
    ['label templates/name'],
    ['licenses licenses/name'],
    ['assets swagger-ui/filename'],
    ['assets assets/filename'],
    ['admin sources/id'],
    ['admin jobs/id'],
    ['admin groups/quotagroup'],
    ['admin rules/quotarule'],
    ['repos flags/flag'],
  ],
  'beside what is tried in the same address': [
    ['pages objects/size', '1'],
    ['pages download/name', 'note.txt'],
    ['v2 v2/image', 'img'],
    ['packages packages/version', '1'],
    ['packages names/name', 'tool'],
    ['repos pulls/base', 'main'],
    ['repos pulls/filepath', 'main'],
    ['pages pages/folder', 'x'],
  ],
  'sealed: the address itself is what allows it': [['assets blobs/grant']],
  'a picture, which is for everybody who knows its digest': [
    ['avatars avatars/hash'],
    ['repo-avatars repo-avatars/hash'],
  ],
  'a word that the repository is given': [['repos topics/topic', 'word']],
  'settings for any path': [['repos editorconfig/filename', 'a.txt']],
  'a branch of the repository that a fork was made from': [['repos sync_fork/branch', 'main']],
  'a repository of the same owner, whose rights are asked for': [['packages link/repo_name', 'home']],
  'a digest of a name': [['api artifacts/hash', 'x']],
  'acts of a person, who is part of the address': [['activitypub activities/activity-id']],
  'a public key, which is no secret': [['user keys/id']],
}
const companions: ReadonlyMap<string, string> = new Map(
  Object.values(elsewhere).flatMap((keys) => keys.map(([key, value]) => [key, value ?? 'x'])),
)

/** Operations without a parameter to try. */
const untried: Readonly<Record<string, string>> = {
  userCurrentGetKey: 'keys are no secret: everybody who is signed in may look one up by its id (contract, users)',
  userCurrentDeleteKey: 'the same: it says whose it is not',
  updateRepoSecret: 'makes what it names',
  updateOrgSecret: 'makes what it names',
  updateUserSecret: 'makes what it names',
  createRepoVariable: 'makes what it names',
  createOrgVariable: 'makes what it names',
  createUserVariable: 'makes what it names',
  repoCreateFile: 'makes what it names',
  repoEditWikiPage: 'makes what it names',
  lfsDownloadNamedObject: 'the name of the file says nothing, and the object is asked for by lfsDownloadObject',
  notifyGetThread: 'says that it is somebody else’s, as the contract has it; nothing of it is shown',
  notifyReadThread: 'the same',
  adminDeleteUserPublicKey: 'tells administrators that the key is another account’s',
}

/** Operations that answer the same for every missing thing without a refusal. */
const sameForAll: Readonly<Record<string, string>> = {
  containerListReferrers: 'what nothing refers to has an empty list (OCI)',
  workflowBadge: 'says that there was no run',
  repoGetCombinedStatusByRef: 'a commit that nobody judged has no statuses',
  repoListStatuses: 'a commit that nobody judged has no statuses',
  repoListStatusesByRef: 'a commit that nobody judged has no statuses',
}

/** Things that their owner cannot read back, so the test cannot check whether they still exist. */
const notShown: Readonly<Record<string, string>> = {
  streamWorkflowJobLog: 'goes on until the job is over',
  orgListTeamRepo: 'the repository is not one of the organization',
  repoGetCommitPullRequest: 'the commit was not merged',
  webWikiFile: 'the wiki has no such branch',
  downloadArtifactV3: 'artifacts of the older protocol alone',
  listArtifactFilesV3: 'artifacts of the older protocol alone',
  listArtifactsV3: 'artifacts of the older protocol alone',
  requestIdentityToken: 'the job may not identify itself',
  adminGetHook: 'the hook is not one of the administration',
  adminGetHookDelivery: 'the hook is not one of the administration',
  adminListHookDeliveries: 'the hook is not one of the administration',
  orgGetHookDelivery: 'the delivery is one of the repository',
  userGetHookDelivery: 'the delivery is one of the repository',
}

/** A value of the same form that belongs to nothing. */
function nothingLike(value: string): string {
  if (/^\d+$/.test(value)) return '999983'
  // A reversed digest is a different one.
  const turned = (digest: string): string => Array.from(digest).toReversed().join('')
  const digests = /(?<!\w)(?:[0-9a-f]{2}|[0-9a-f-]{8,})$/g
  if (digests.test(value)) return value.replaceAll(digests, turned)
  return value.replaceAll(/alice|mallory/gi, (name) => 'x'.repeat(name.length))
}

/** The address of an operation on belongings, with given values for some parameters. */
function addressIn(login: string, { path }: NamedOperation, given: Belongings): string {
  const parameters = parametersOf(path)
  const parentValues: Belongings = { username: login, reponame: 'home', org: `${login}s-guild` }
  return path.replaceAll(/\{[\w-]+\+?\}/g, () => {
    const { name, key } = parameters.shift() as { name: string; key: string }
    return given[key] ?? parentValues[name] ?? companions.get(key) ?? '1'
  })
}

/** Sends a request with the kind of credentials that the operation accepts. */
async function senderOf(forge: Forge, login: string, runtimeToken: string) {
  const token = forge.as(login)
  const password = forge.as(login, { basic: { login, password: testPassword } })
  const images = await imagesAs(forge, login)
  return (operation: NamedOperation, path: string): ReturnType<ForgeClient['send']> => {
    const { base, method, accepts, path: declared, requires } = operation
    const root = base === 'vendor' ? '/api/service/v1' : ''
    const options = { site: base !== 'api' }
    const body = bodyFor(operation)
    if (declared.includes('/info/lfs/')) {
      const type = 'application/vnd.git-lfs+json'
      const headers = { accept: type, 'content-type': type }
      const raw = JSON.stringify(body ?? {})
      return token.send(method, path, undefined, { ...options, headers, ...(method === 'GET' ? {} : { raw }) })
    }
    if (declared.startsWith('/v2/')) return images(method, path, body, options)
    if (requires.some(({ codes }) => codes.includes('basicAuth'))) return password.send(method, path, body, options)
    if (!accepts.includes('token')) {
      const headers = { authorization: `Bearer ${runtimeToken}` }
      return forge.guest.send(method, path, body, { ...options, headers })
    }
    // Administrators may reach it, at another address.
    const sender = declared.startsWith('/admin/') ? forge.as('root') : token
    return sender.send(method, root + path, body, options)
  }
}

test('no operation finds a belonging of another repository, organization or account below its own parent', async () => {
  await using forge = await startForge({
    settings: { ...everythingOn, ...settingsOfBelongings, security: { DISABLE_GIT_HOOKS: true } },
    users: ['alice', 'mallory'],
  })
  const { values: theirs, runtimeToken: jobOfAlice } = await makeBelongings(forge, 'alice')
  const { values: own, runtimeToken } = await makeBelongings(forge, 'mallory')
  // Pages answer sessions only: `authorization-pages.test.ts`. Other addresses of pages tell what the caller has sent.
  const operations = forge.services
    .operations()
    .filter((each) => !each.path.startsWith('/api/packages/') && !isPage(each) && !(each.id in otherAddresses))
  const parameters = operations.flatMap(({ id, path }) => parametersOf(path).map((each) => ({ id, ...each })))
  assert.deepEqual(
    parameters
      .filter(({ name, key }) => !parents.has(name) && theirs[key] === undefined && !companions.has(key))
      .map(({ id, key }) => `${id}: ${key}`),
    [],
    'every parameter is tried, or there is a reason not to',
  )
  // Pages have parameters that no other operation has.
  const declared = new Set(forge.services.operations().flatMap(({ path }) => parametersOf(path).map(({ key }) => key)))
  assert.deepEqual(
    [...Object.keys(theirs), ...companions.keys()].filter((key) => !declared.has(key)),
    [],
    'what is tried or explained is declared',
  )

  const nested = operations
    .filter(({ id, cost }) => cost !== 'waiting' && untried[id] === undefined)
    .map((operation) => {
      const keys = parametersOf(operation.path).map(({ key }) => key)
      return { operation, keys: keys.filter((key) => theirs[key] !== undefined) }
    })
    .filter(({ keys }) => keys.length > 0)
  const send = await senderOf(forge, 'mallory', runtimeToken)
  const accepted: string[] = []
  await eachOf(nested, 8, async ({ operation, keys }) => {
    // First all foreign parameters, then only the last one.
    for (const count of new Set([0, keys.length - 1])) {
      const pick = (other: (key: string) => string): Belongings =>
        Object.fromEntries(keys.map((key, index) => [key, index < count ? (own[key] as string) : other(key)]))
      const values = pick((key) => theirs[key] as string)
      const missing = pick((key) => nothingLike(theirs[key] as string))
      const [there, none] = [
        await send(operation, addressIn('mallory', operation, values)),
        await send(operation, addressIn('mallory', operation, missing)),
      ]
      // Some deletions answer 204 for missing things too; the check below finds out whether the thing still exists.
      const isRefused = there.status >= 400 && there.status < 500
      const isSame = there.status === none.status && leaked(there.text, values) === leaked(none.text, missing)
      if (isSame && (isRefused || operation.method === 'DELETE' || sameForAll[operation.id] !== undefined)) continue
      accepted.push(
        `${operation.id} ${addressIn('mallory', operation, values)}: ${there.status} ${there.text.slice(0, 80)}, and ${none.status} ${none.text.slice(0, 80)} for nothing`,
      )
    }
  })
  assert.deepEqual(accepted, [])
  assert.ok(nested.length > 150, `${nested.length} were tried`)

  // Everything still exists for its owner.
  const sendAsAlice = await senderOf(forge, 'alice', jobOfAlice)
  const missing: string[] = []
  await eachOf(
    nested.filter(({ operation: { id, method } }) => method === 'GET' && notShown[id] === undefined),
    8,
    async ({ operation }) => {
      const path = addressIn('alice', operation, theirs)
      const { status, text } = await sendAsAlice(operation, path)
      if (status >= 400) missing.push(`${operation.id} ${path}: ${status} ${text.slice(0, 100)}`)
    },
  )
  assert.deepEqual(missing, [])
})

/** An answer without the names in the request. */
const leaked = (text: string, values: Belongings): string =>
  Object.values(values)
    .filter((value) => !/^\d+$/.test(value))
    .toSorted((one, other) => other.length - one.length)
    // Messages name secrets and variables in upper case.
    .reduce((rest, value) => rest.replaceAll(value, '…').replaceAll(value.toUpperCase(), '…'), text)
    .replaceAll(/"request_id":"[^"]*"|\d+/g, '#')
    .replaceAll('alice', nothingLike)
