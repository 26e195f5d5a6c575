import { commitFiles, TestRunner, workflow } from '../src/actions/actions.test-support.ts'
import { grants, levelOf, parseScopes, type TokenScopes } from '../src/auth/token-scopes.ts'
import { transaction } from '../src/db/database.ts'
import type { RunId } from '../src/lib/ids.ts'
import type { NamedOperation } from '../src/http/operation.ts'
import type { Forge } from '../src/testing/forge.ts'
import { createToken } from '../src/users/credentials/token.service.ts'
import { oauthToken } from './belongings.ts'

/** A caller and its place in the test world. */
export interface Caller {
  readonly name: string
  readonly token: string | undefined
  /** The account that an administrator acts as. */
  readonly sudo?: string
  /** undefined: all scopes. */
  readonly scopes: TokenScopes | undefined
  readonly isSiteAdmin: boolean
  /** Login; undefined for guests. */
  readonly login: string | undefined
  /** Rank in the private repositories (0 to 4). */
  readonly rank: number
  readonly org: 'owner' | 'member' | 'none'
  /** A job of a workflow: the repository that it may act in, and whether it only reads. */
  readonly job?: { readonly repo: string; readonly isReadOnly: boolean }
}

export interface WorldRepository {
  readonly repo: string
  readonly isPrivate: boolean
  readonly isArchived: boolean
}

/** An expected status, any refusal, or undecided. */
export type Outcome = number | 'refused' | 'passed' | 'unknown'

const unitCode = /^(RR|RW)\(([\w|]+)\)$/
const ofAccounts = new Set<string>(['user', 'organization', 'notification', 'activitypub', 'admin'])

/**
 * The answer that the requirements give to a caller. When a check depends on more than the caller and the repository, and a
 * later check refuses, the answer is any refusal.
 */
export function predict(operation: NamedOperation, caller: Caller, repository: WorldRepository): Outcome {
  const level = operation.outlivesCredential !== false ? 'write' : levelOf(operation.method)
  const lacks = (categories: readonly string[]): boolean =>
    caller.scopes !== undefined &&
    categories.some((each) => !grants(caller.scopes as TokenScopes, each as never, level))
  if (!(operation.narrowScope && caller.scopes?.narrow.has(operation.narrowScope)) && lacks(operation.scope)) return 403
  const codes = operation.requires.flatMap((requirement) => requirement.codes)
  const isInRepo = codes.includes('resolve:repo')
  if (!isInRepo && exceedsCredential()) return 403
  const rank = caller.job
    ? caller.job.repo === repository.repo
      ? caller.rank
      : 0
    : repository.isPrivate
      ? caller.rank
      : Math.max(caller.rank, 1)
  let inOrg = false
  let isCertain = true
  for (const code of codes) {
    const outcome = predictCode(code)
    if (outcome === 'unknown') isCertain = false
    else if (outcome !== 'passed') return isCertain ? outcome : 'refused'
  }
  return isCertain ? 'passed' : 'unknown'

  /** Contract A2 and A5: a public-only token changes nothing of the account, and a job only its repository. */
  function exceedsCredential(): boolean {
    const { outlivesCredential, scope, path, base, method } = operation
    const isOfRepository =
      codes.some((code) => /^resolve:(?:repo|org|team)$/.test(code)) && outlivesCredential !== 'account'
    if (outlivesCredential !== false && (caller.job || (caller.scopes?.publicOnly && !isOfRepository))) return true
    if (!caller.job || method === 'GET') return false
    const isOfAccount = scope.some((each) => ofAccounts.has(each)) || /^\/users?\//.test(path)
    return isOfAccount || (base === 'api' && caller.job.isReadOnly)
  }

  function predictCode(code: string): Outcome {
    const unit = unitCode.exec(code)
    if (unit) return rank >= (unit[1] === 'RR' ? 1 : 2) ? 'passed' : 403
    if (code.startsWith('scope:')) return lacks(code.slice(6).split('+')) ? 403 : 'passed'
    switch (code) {
      case 'T':
        return caller.login === undefined ? 401 : 'passed'
      case 'SA':
        return caller.isSiteAdmin ? 'passed' : 403
      case 'resolve:repo':
        return rank === 0 ? 404 : 'passed'
      case 'publicOnlyCheck':
        if (caller.scopes?.publicOnly && repository.isPrivate && operation.path.includes('{reponame}')) return 403
        return isInRepo && exceedsCredential() ? 403 : 'passed'
      case 'RO':
        return rank >= 4 ? 'passed' : 403
      case 'RA':
        return rank >= 3 ? 'passed' : 403
      case 'NA':
        return repository.isArchived ? 423 : 'passed'
      case 'resolve:org':
        inOrg = true
        return 'passed'
      case 'OO':
        return !inOrg ? 'unknown' : caller.isSiteAdmin || caller.org === 'owner' ? 'passed' : 403
      case 'OM':
        return !inOrg ? 'unknown' : caller.isSiteAdmin || caller.org !== 'none' ? 'passed' : 403
      case 'selfOrAdmin':
        return caller.isSiteAdmin || caller.login === 'alice' ? 'passed' : 403
      case 'basicAuth':
        return 401
      case 'AR':
      case 'gitRepo':
      case 'resolve:user':
      case 'resolve:team':
      case 'userVisible':
      case 'exploreSignIn':
      case 'WH':
        return 'passed'
      default:
        // Settings are on in this world.
        return code.endsWith('Enabled') ? 'passed' : 'unknown'
    }
  }
}

const values: Readonly<Record<string, string>> = {
  username: 'alice',
  org: 'guild',
  index: '1',
  id: '1',
  teamid: '1',
  sha: 'main',
  ref: 'main',
  diffType: 'diff',
  attachment_id: '1',
  position: '1',
  delivery_id: '1',
  comment: '1',
  run_id: '1',
  cache_id: '1',
  'user-id': '1',
  'repository-id': '1',
  'activity-id': '1',
  job_id: '1',
  artifact_id: '1',
  ball_type: 'zipball',
  filepath: 'README.md',
}

/** The address of an operation with values for its parameters. */
export const addressOf = (operation: NamedOperation, given: Readonly<Record<string, string>>): string =>
  operation.path.replace(
    /\{([\w-]+)\+?\}/g,
    (_, name: string) => given[name] ?? values[name] ?? firstOf(operation.params[name]) ?? 'x',
  )

/** The first value of a parameter that lists its values. */
const firstOf = (schema: object | undefined): string | undefined =>
  schema !== undefined && 'enum' in schema && Array.isArray(schema.enum) ? String(schema.enum[0]) : undefined

export const pathFor = (operation: NamedOperation, repository: WorldRepository): string =>
  addressOf(operation, { reponame: repository.repo })

/** Settings that switch operations on: all are on. */
export const everythingOn = {
  log: { LEVEL: 'none' },
  repository: { ENABLE_FLAGS: true },
  quota: { ENABLED: true },
  federation: { ENABLED: true },
  server: { LFS_START_SERVER: true },
  actions: { ENABLED: true },
}

/** Sends a request as a caller. */
export const clientOf = (forge: Forge, { token, sudo }: Caller) => {
  const client = forge.as('root', token === undefined ? {} : { token })
  const headers: Record<string, string> = sudo === undefined ? {} : { sudo }
  return ({ base, method }: NamedOperation, path: string, body?: unknown) =>
    client.send(method, (base === 'vendor' ? '/api/service/v1' : '') + path, body, { headers, site: base !== 'api' })
}

/** Tokens of two jobs of a repository of alice: one may write, one only reads, as jobs of pull requests do. */
export async function jobTokens(forge: Forge, repo: string): Promise<{ writing: string; reading: string }> {
  const api = `/repos/alice/${repo}`
  await commitFiles(forge, api, { '.forgejo/workflows/w.yml': workflow('push') })
  const runner = await TestRunner.register(forge, `${api}/actions/runners`)
  const writing = (await runner.must()).context.token
  // A separate branch: a newer push cancels the jobs of the previous one.
  await commitFiles(forge, api, { again: 'x' }, { newBranch: 'aside' })
  const reading = await runner.must()
  await transaction(forge.services.db, (tx) =>
    tx
      .updateTable('action_job')
      .set({ is_read_only: true })
      .where('run_id', '=', Number(reading.context['run_id']) as RunId)
      .execute(),
  )
  return { writing, reading: reading.context.token }
}

/** Three repositories of alice and an organization, and all kinds of callers. */
export async function makeWorld(forge: Forge): Promise<{ callers: Caller[]; repositories: WorldRepository[] }> {
  const repositories: WorldRepository[] = [
    { repo: 'open', isPrivate: false, isArchived: false },
    { repo: 'hidden', isPrivate: true, isArchived: false },
    { repo: 'closed', isPrivate: true, isArchived: true },
  ]
  const ranks = { reader: 'read', writer: 'write', manager: 'admin' } as const
  for (const { repo, isPrivate, isArchived } of repositories) {
    await forge.given.repo({ owner: 'alice', name: repo, private: isPrivate })
    await forge.as('alice').must('POST', `/repos/alice/${repo}/issues`, { title: 'one' })
    for (const [login, permission] of Object.entries(ranks)) {
      await forge.account(login)
      await forge.as('alice').must('PUT', `/repos/alice/${repo}/collaborators/${login}`, { permission })
    }
    if (isArchived) await forge.as('alice').must('PATCH', `/repos/alice/${repo}`, { archived: true })
  }
  await forge.given.org({ owner: 'alice', name: 'guild' })
  await forge.account('member')
  const team = { name: 'members', permission: 'read', units: ['repo.code'] }
  const { json: made } = await forge.as('alice').must('POST', '/orgs/guild/teams', team)
  await forge.as('alice').must('PUT', `/teams/${made.id}/members/member`)
  const known = [
    { login: 'root', rank: 4, org: 'none' as const },
    { login: 'alice', rank: 4, org: 'owner' as const },
    { login: 'member', rank: 0, org: 'member' as const },
    { login: 'manager', rank: 3, org: 'none' as const },
    { login: 'writer', rank: 2, org: 'none' as const },
    { login: 'reader', rank: 1, org: 'none' as const },
    { login: 'stranger', rank: 0, org: 'none' as const },
  ]
  const nobody = { token: undefined, scopes: undefined, isSiteAdmin: false, login: undefined, rank: 0 }
  const callers: Caller[] = [{ name: 'a guest', ...nobody, org: 'none' }]
  for (const { login, rank, org } of known) {
    const { user, token } = await forge.account(login)
    const about = { isSiteAdmin: login === 'root', login, rank, org }
    callers.push({ name: login, token, scopes: undefined, ...about })
    if (login !== 'root') {
      const { token: ofRoot } = await forge.account('root')
      callers.push({ name: `root as ${login}`, token: ofRoot, sudo: login, scopes: undefined, ...about })
    }
    if (login !== 'root' && login !== 'alice') continue
    const kinds = [
      ['read:activitypub'],
      ['read:repository', 'read:issue', 'read:user', 'read:organization', 'read:admin'],
      ['public-only', 'all'],
      ['admin:public_key'],
    ]
    for (const scopes of kinds) {
      const made = await createToken(forge.services, user, { name: scopes.join(), scopes })
      callers.push({
        name: `${login} with ${scopes.join()}`,
        token: made.token,
        scopes: parseScopes(made.row.scopes),
        ...about,
      })
    }
  }
  const granted = ['read:repository', 'write:issue']
  callers.push({
    name: `an application of alice with ${granted.join()}`,
    token: (await oauthToken(forge, 'alice', granted.join(' '))).token,
    scopes: parseScopes(granted.join(',')),
    isSiteAdmin: false,
    login: 'alice',
    rank: 4,
    org: 'owner',
  })
  const { writing, reading } = await jobTokens(forge, 'hidden')
  for (const [name, token, rank] of [
    ['a job of hidden', writing, 2],
    ['a job of hidden that reads', reading, 1],
  ] as const) {
    const job = { repo: 'hidden', isReadOnly: rank === 1 }
    callers.push({ name, ...nobody, token, login: 'actions', rank, org: 'none', job })
  }
  return { callers, repositories }
}

/** Maps items with limited concurrency. */
export async function eachOf<Item>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const queue = [...items]
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item)
    }),
  )
}

/** The smallest body that satisfies a schema, as far as its declaration tells. */
export function bodyFor({ body }: NamedOperation): unknown {
  if (body === undefined || !('properties' in body)) return undefined
  const { properties, required = [] } = body as unknown as {
    properties: Readonly<Record<string, SampleSchema>>
    required?: readonly string[]
  }
  return Object.fromEntries(required.map((name) => [name, sampleOf(properties[name] ?? {})]))
}

export interface SampleSchema {
  readonly type?: string
  readonly enum?: readonly string[]
  readonly format?: string
  readonly anyOf?: readonly SampleSchema[]
}

export function sampleOf(schema: SampleSchema): unknown {
  if (schema.anyOf) return sampleOf(schema.anyOf[0] ?? {})
  if (schema.enum) return schema.enum[0]
  switch (schema.type) {
    case 'integer':
    case 'number':
      return 1
    case 'boolean':
      return false
    case 'array':
      return []
    case 'object':
      return {}
    case undefined:
    default:
      return schema.format === 'date-time' ? '2030-01-01T00:00:00Z' : 'eA=='
  }
}
