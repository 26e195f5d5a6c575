import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commitFiles, TestRunner, workflow } from '../src/actions/actions.test-support.ts'
import type { NamedOperation } from '../src/http/operation.ts'
import { startForge, testPassword, type Forge } from '../src/testing/forge.ts'
import { Browser } from '../src/testing/browser.ts'
import { base64, publicKey } from '../src/testing/samples.ts'
import { bodyFor, eachOf, everythingOn } from './authorization-world.ts'

/**
 * What has an id for the whole instance and stands below a repository, an organization or an account is found below its own
 * alone: by every operation with such an id, who owns one repository reaches nothing of another one through it.
 */

/** Ids of what one account has, by the parameter with the segment of the path before it. */
type Ids = Readonly<Record<string, string>>

/** An account that has one of everything. Its issue is number 1, its pull request number 2. */
async function settle(forge: Forge, login: string): Promise<Ids> {
  const client = forge.as(login)
  const api = `/repos/${login}/home`
  const made = async (path: string, body: unknown) => String((await client.must('POST', path, body)).json.id)
  await forge.given.repo({ owner: login, name: 'home', private: true })
  await forge.given.org({ owner: login, name: `${login}s-guild` })
  const hook = {
    type: 'forgejo',
    active: true,
    events: ['issues'],
    config: { url: 'http://127.0.0.1:9/', content_type: 'json' },
  }
  const hooks = await made(`${api}/hooks`, hook)
  const orgHooks = await made(`/orgs/${login}s-guild/hooks`, hook)
  const userHooks = await made('/user/hooks', hook)
  await client.must('POST', `${api}/issues`, { title: 'one' })
  await commitFiles(forge, api, { new: 'x\n' }, { newBranch: 'topic', as: login })
  await client.must('POST', `${api}/pulls`, { title: 'two', head: 'topic', base: 'main' })
  const reviews = await made(`${api}/pulls/2/reviews`, {
    event: 'COMMENT',
    body: 'so',
    comments: [{ path: 'new', body: 'here', new_position: 1 }],
  })
  const [remark] = (await client.must('GET', `${api}/pulls/2/reviews/${reviews}/comments`)).json
  const comments = await made(`${api}/issues/1/comments`, { body: 'said' })
  const file = async (path: string) => {
    const form = new FormData()
    form.set('attachment', new Blob(['text']), 'note.txt')
    const { json } = await client.must('POST', path, undefined, { raw: form })
    return String(json.id)
  }
  const labels = await made(`${api}/labels`, { name: 'kind', color: '#001122' })
  await client.must('POST', `${api}/issues/1/labels`, { labels: [Number(labels)] })
  const releases = await made(`${api}/releases`, { tag_name: 'v1' })
  await commitFiles(forge, api, { '.forgejo/workflows/w.yml': workflow('push') }, { as: login })
  const runner = await TestRunner.register(forge, `${api}/actions/runners`, ['ubuntu-latest'], { as: login })
  const task = await runner.must()
  const runs = (await client.must('GET', `${api}/actions/runs`)).json.workflow_runs as { id: number }[]
  const [run] = runs
  const [job] = (await client.must('GET', `${api}/actions/runs/${run?.id}/jobs`)).json.jobs
  assert.ok(task.id)
  const browser = new Browser(forge)
  await browser.signIn(login, testPassword)
  const [session] = (await client.must('GET', '/api/service/v1/user/sessions', undefined, { site: true })).json
  await forge.settle()
  const [delivery] = (await client.must('GET', `${api}/hooks/${hooks}/deliveries`)).json
  return {
    'repos hooks/id': hooks,
    'deliveries/delivery_id': String(delivery.id),
    'orgs hooks/id': orgHooks,
    'user hooks/id': userHooks,
    'orgs labels/id': await made(`/orgs/${login}s-guild/labels`, { name: 'all', color: '#001122' }),
    'comments/id': comments,
    'comments/comment': String(remark.id),
    'comments assets/attachment_id': await file(`${api}/issues/comments/${comments}/assets`),
    'issues assets/attachment_id': await file(`${api}/issues/1/assets`),
    'releases assets/attachment_id': await file(`${api}/releases/${releases}/assets`),
    'reviews/id': reviews,
    'releases/id': releases,
    'repos labels/id': labels,
    'milestones/id': await made(`${api}/milestones`, { title: 'first' }),
    'times/id': await made(`${api}/issues/1/times`, { time: 60 }),
    'repos keys/id': await made(`${api}/keys`, { title: 'd', key: keyOf(login, 1), read_only: true }),
    'tag_protections/id': await made(`${api}/tag_protections`, { name_pattern: 'v*', whitelist_usernames: [login] }),
    'oauth2/id': await made('/user/applications/oauth2', {
      name: 'App',
      confidential_client: true,
      redirect_uris: ['https://app.example.com/cb'],
    }),
    'runs/run_id': String(run?.id),
    'jobs/job_id': String(job.id),
    'sessions/id': String(session.id),
  }
}

/** A public key like that of the samples, with other bytes at its end. */
function keyOf(login: string, index: number): string {
  const [kind, text = ''] = publicKey.split(' ')
  const bytes = Buffer.from(text, 'base64')
  Buffer.from(`${login}${index}`).copy(bytes, bytes.length - 10)
  return `${kind} ${base64(bytes)}`
}

/** Names of the ids of an operation's path, in their order; undefined for one that nothing here has. */
function nestedOf(path: string): string[] {
  const segments = path.split('/').filter((segment) => segment !== '')
  const first = segments[0] ?? ''
  return segments.flatMap((segment, index) => {
    const name = /^\{([a-z_]*id|comment)\}$/.exec(segment)?.[1]
    if (name === undefined) return []
    const before = segments[index - 1] ?? ''
    if (['hooks', 'labels', 'keys'].includes(before)) return [`${first} ${before}/${name}`]
    if (before === 'assets') return [`${path.includes('/comments/') ? 'comments' : segments[3]} assets/${name}`]
    return [`${before}/${name}`]
  })
}

/** The address of an operation in somebody's repository or organization, with ids of whom they are of. */
function addressIn(login: string, { path }: NamedOperation, ids: readonly string[]): string {
  const left = [...ids]
  return path.replaceAll(/\{([\w-]+)\}/g, (_, name: string) => {
    if (name === 'username') return login
    if (name === 'reponame') return 'home'
    if (name === 'org') return `${login}s-guild`
    if (name === 'index') return path.includes('/pulls/') ? '2' : '1'
    return left.shift() ?? 'x'
  })
}

/** Keys are no secret: everybody who is signed in may look one up by its id (contract, users). */
const open = new Set(['userCurrentGetKey', 'userCurrentDeleteKey'])

/** An id that nothing has. */
const nothing = '999983'

test('an id of another repository, organization or account is never accepted, by any operation', async () => {
  await using forge = await startForge({
    settings: { ...everythingOn, security: { DISABLE_GIT_HOOKS: true } },
    users: ['alice', 'mallory'],
  })
  const theirs = await settle(forge, 'alice')
  const own = await settle(forge, 'mallory')
  const nested = forge.services
    .operations()
    .filter(({ base, load, path }) => base !== 'site' && load !== 'waiting' && !path.includes('/actions/tasks/'))
    .map((operation) => ({ operation, names: nestedOf(operation.path) }))
    .filter(({ names }) => names.length > 0 && names.every((name) => theirs[name] !== undefined))
    .filter(({ operation }) => !open.has(operation.id))
  const client = (login: string) => {
    const sender = forge.as(login)
    return ({ base, method }: NamedOperation, path: string, body?: unknown) =>
      sender.send(method, (base === 'vendor' ? '/api/service/v1' : '') + path, body, { site: base !== 'api' })
  }
  const accepted: string[] = []
  await eachOf(nested, 8, async ({ operation, names }) => {
    // All of them are theirs, and then the last one alone.
    for (const count of new Set([0, names.length - 1])) {
      const ids = names.map((name, index) => (index < count ? own[name] : theirs[name]) as string)
      const path = addressIn('mallory', operation, ids)
      const { status, text } = await client('mallory')(operation, path, bodyFor(operation))
      const none = names.map((name, index) => (index < count ? (own[name] as string) : nothing))
      const missing = await client('mallory')(operation, addressIn('mallory', operation, none), bodyFor(operation))
      // Some deletions answer 204 whether there was something or not: whether there still is is asked below.
      const isRefused = status >= 400 && status < 500
      const isNothing =
        status === missing.status && text.replaceAll(/\d+/g, '#') === missing.text.replaceAll(/\d+/g, '#')
      if (!isNothing || (!isRefused && operation.method !== 'DELETE')) {
        accepted.push(`${operation.id} ${path}: ${status} ${text.slice(0, 80)}, and ${missing.status} for nothing`)
      }
    }
  })
  assert.deepEqual(accepted, [])
  const tried = new Set(nested.flatMap(({ names }) => names))
  assert.deepEqual(
    Object.keys(theirs).filter((name) => !tried.has(name)),
    [],
    'every kind of id was tried',
  )
  // All that was asked for is there, and was not touched: who owns it finds it.
  const missing: string[] = []
  for (const { operation, names } of nested.filter(
    ({ operation: { method, path } }) =>
      method === 'GET' && !path.endsWith('/stream') && (path.startsWith('/repos/') || !path.includes('/deliveries/')),
  )) {
    const path = addressIn(
      'alice',
      operation,
      names.map((name) => theirs[name] as string),
    )
    const { status, text } = await client('alice')(operation, path)
    if (status >= 300) missing.push(`${operation.id} ${path}: ${status} ${text.slice(0, 100)}`)
  }
  assert.deepEqual(missing, [])
})
