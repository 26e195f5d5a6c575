import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql, type TableMetadata } from 'kysely'
import { commitFiles } from '../src/actions/actions.test-support.ts'
import { engineOf, transaction } from '../src/db/database.ts'
import { contentOf, LfsClient } from '../src/lfs/lfs.test-support.ts'
import { examined } from '../src/testing/doctor.ts'
import type { ForgeClient } from '../src/testing/client.ts'
import { startForge, type Forge } from '../src/testing/forge.ts'
import { onePixel } from '../src/testing/samples.ts'
import { upload } from '../src/testing/upload.ts'
import { addressOf, eachOf, everythingOn } from './authorization-world.ts'
import { keyOf, makeBelongings, settingsOfBelongings } from './belongings.ts'

/**
 * No column of any table names a deleted thing. The ids of each table start at a distinct number, so that a number found
 * anywhere, in texts and JSON too, identifies its row. New tables and columns are covered automatically; exceptions are
 * listed with a reason.
 */

const firstId = 1_000_000_000
const apart = 1_000_000

type Rows = ReadonlyMap<string, readonly Readonly<Record<string, unknown>>[]>

const tablesOf = ({ services: { db } }: Forge): Promise<readonly TableMetadata[]> =>
  engineOf(db).reader.introspection.getTables()

/** Starts the ids of each table at a distinct number; returns the table names in the order of the numbers. */
async function spreadIds(forge: Forge): Promise<readonly string[]> {
  const { db } = forge.services
  const counted = (await tablesOf(forge))
    .filter(({ columns }) => columns.some(({ name, isAutoIncrementing }) => name === 'id' && isAutoIncrementing))
    .map(({ name }) => name)
    .toSorted()
  await transaction(db, async (tx) => {
    for (const [index, name] of counted.entries()) {
      const next = firstId + index * apart
      if (engineOf(db).kind === 'postgres') {
        await sql`alter table ${sql.table(name)} alter column id restart with ${sql.lit(next)}`.execute(tx)
      } else {
        await sql`delete from sqlite_sequence where name = ${name}`.execute(tx)
        await sql`insert into sqlite_sequence (name, seq) values (${name}, ${next - 1})`.execute(tx)
      }
    }
  })
  return counted
}

async function allRows(forge: Forge): Promise<Rows> {
  const rows = new Map<string, Record<string, unknown>[]>()
  for (const { name } of await tablesOf(forge)) {
    rows.set(
      name,
      (await sql<Record<string, unknown>>`select * from ${sql.table(name)}`.execute(forge.services.db)).rows,
    )
  }
  return rows
}

const textOf = (value: unknown): string =>
  typeof value === 'object' && value !== null && !(value instanceof Uint8Array) ? JSON.stringify(value) : String(value)

/** Columns that name missing rows, as `table.column → table`, and columns that contain a word, as `table.column → "word"`. */
async function findTraces(forge: Forge, counted: readonly string[], word: string): Promise<string[]> {
  const rows = await allRows(forge)
  const there = new Set(counted.flatMap((name) => (rows.get(name) ?? []).map((row) => Number(row['id']))))
  const found = new Set<string>()
  for (const [table, all] of rows) {
    for (const row of all) {
      for (const [column, value] of Object.entries(row)) {
        const text = textOf(value)
        for (const [id] of text.matchAll(/(?<![\w.])1\d{9}(?!\w)/g)) {
          const target = counted[Math.floor((Number(id) - firstId) / apart)]
          if (target !== undefined && !there.has(Number(id))) found.add(`${table}.${column} → ${target}`)
        }
        if (text.includes(word)) found.add(`${table}.${column} → "${word}"`)
      }
    }
  }
  return [...found].toSorted()
}

/** Exceptions with reasons. */
const mayStay: readonly (readonly [RegExp, string])[] = [
  [/^audit_entry\./, 'what was done stays written down'],
  [/^event\.(?:\w+ → \w+|data → "[^"]+")$/, 'what happened did happen: ids, and the name of what was deleted'],
  [/^(?:notified|mailed)_event\.last_user_id /, 'how far people were told, by their ids'],
  [/^comment\.(?:review|time)_id /, 'an entry of a timeline tells of what is no more'],
  [/^action_run_payload\.data /, 'what a run was begun by, which its repository keeps as long as the run'],
  [/^oauth_token\.family /, 'tokens are of one family by the code that began it'],
  [/^(?:repo\.original_url|repo_import\.wanted) → "/, 'where a repository was brought from'],
  [/_words_(?:data|idx)\./, 'an index of words merges what it forgot in its own time'],
]

/** Contributions of deleted accounts to things of others, shown without an author. */
const byNobody = [
  'action_run.author_id',
  'action_run.doer_id',
  'attachment.uploader_id',
  'branch.pusher_id',
  'comment.assignee_id',
  'comment.poster_id',
  'commit_status.creator_id',
  'content_history.poster_id',
  'package_version.creator_id',
  'pull.merger_id',
  'release.publisher_id',
].map((column) => `${column} → user`)

const unexplained = (traces: readonly string[]): string[] =>
  traces.filter((trace) => !byNobody.includes(trace) && !mayStay.some(([pattern]) => pattern.test(trace)))

/** Webhooks of the owner keep payloads about the repository as long as their deliveries. */
const isToldToOwner = (trace: string): boolean => trace.startsWith('webhook_payload.data ')

/** Foreign keys, as `table.column`: the database enforces them. */
async function foreignKeys(forge: Forge): Promise<ReadonlySet<string>> {
  const { db } = forge.services
  const query =
    engineOf(db).kind === 'postgres'
      ? sql<{ name: string }>`select key.table_name || '.' || key.column_name as name
          from information_schema.key_column_usage key inner join information_schema.table_constraints made
          on made.constraint_name = key.constraint_name and made.constraint_schema = key.constraint_schema
          where made.constraint_type = 'FOREIGN KEY'`
      : sql<{ name: string }>`select made.name || '.' || key."from" as name
          from sqlite_master made, pragma_foreign_key_list(made.name) key where made.type = 'table'`
  return new Set((await query.execute(db)).rows.map(({ name }) => name))
}

/** Columns without a foreign key that name accounts and that the account of the test is not in. */
const notTried = new Map([
  ['notified_event.last_user_id', 'how far people were told'],
  ['mailed_event.last_user_id', 'the same'],
  ['action_run.approver_id', 'shown as nobody'],
  ['action_run.author_id', 'whose approvals count, shown to nobody'],
  ['comment.resolver_id', 'shown as nobody'],
])

/** Everything that an account can do in places of others. */
async function beBusy(forge: Forge, login: string): Promise<void> {
  const [zen, alice, root] = [forge.as(login), forge.as('alice'), forge.as('root')]
  const repo = await forge.given.repo({ owner: 'alice', name: 'common' })
  const api = repo.api
  await alice.must('PUT', `${api}/collaborators/${login}`, { permission: 'admin' })
  await forge.given.org({ owner: 'alice', name: 'guild' })
  const team = (
    await alice.must('POST', '/orgs/guild/teams', {
      name: 'crew',
      permission: 'write',
      units: ['repo.code', 'repo.packages'],
    })
  ).json
  await alice.must('PUT', `/teams/${team.id}/members/${login}`)
  await zen.must('PUT', `/orgs/guild/public_members/${login}`)
  // People.
  for (const path of ['/user/starred/alice/common', '/user/following/alice']) await zen.must('PUT', path)
  await zen.must('PUT', `${api}/subscription`)
  await forge.as('bob').must('PUT', `/user/block/${login}`)
  await zen.must('PUT', '/user/block/eve')
  await alice.must('PUT', `/user/following/${login}`)
  const gift = await forge.given.repo({ owner: login, name: 'gift' })
  for (const path of [`/user/starred/${login}/gift`]) await alice.must('PUT', path)
  await alice.must('PUT', `${gift.api}/subscription`)
  await forge.given.repo({ owner: 'alice', name: 'return' })
  await zen.must('POST', `${gift.api}/transfer`, { new_owner: 'alice' })
  await alice.must('POST', '/repos/alice/return/transfer', { new_owner: login })
  await zen.must('POST', '/user/emails', { emails: ['other@example.com'] })
  await zen.must('POST', '/user/avatar', { image: onePixel })
  await root.must('POST', '/admin/quota/groups', { name: 'few' })
  await root.must('PUT', `/admin/quota/groups/few/users/${login}`)
  // Issues and pull requests.
  const post = async (client: ForgeClient, path: string, body: unknown) => (await client.must('POST', path, body)).json
  const label = await post(zen, `${api}/labels`, { name: 'kind', color: '#001122' })
  const milestone = await post(zen, `${api}/milestones`, { title: 'first' })
  const issue = await post(zen, `${api}/issues`, { title: 'by hand', labels: [label.id], milestone: milestone.id })
  const other = await post(alice, `${api}/issues`, { title: 'by alice', assignees: [login] })
  const at = `${api}/issues/${other.number}`
  const comment = await post(zen, `${at}/comments`, { body: 'said' })
  await post(alice, `${api}/issues/${issue.number}/comments`, { body: 'answered' })
  await zen.must('POST', `${api}/issues/comments/${comment.id}/assets`, undefined, upload('a.txt', 'abc'))
  await zen.must('POST', `${at}/assets`, undefined, upload('b.txt', 'abc'))
  await zen.must('POST', `${at}/reactions`, { content: '+1' })
  await zen.must('POST', `${at}/times`, { time: 60 })
  await zen.must('POST', `${at}/stopwatch/start`)
  await zen.must('PUT', `${at}/subscriptions/${login}`)
  await zen.must('PATCH', at, { title: 'another title', body: 'another text', state: 'closed' })
  await zen.must('POST', `${at}/pin`)
  await zen.must('POST', `${at}/dependencies`, { owner: 'alice', repo: 'common', index: issue.number })
  // Code.
  const sha = await commitFiles(forge, api, { 'new.txt': 'new\n' }, { newBranch: 'topic', as: login })
  const pull = await post(alice, `${api}/pulls`, { title: 'of alice', head: 'topic', base: 'main' })
  const pulls = `${api}/pulls/${pull.number}`
  await alice.must('POST', `${pulls}/requested_reviewers`, { reviewers: [login] })
  await post(zen, `${pulls}/reviews`, {
    event: 'APPROVED',
    body: 'fine',
    comments: [{ path: 'new.txt', body: 'here', new_position: 1 }],
  })
  await zen.must('POST', `${pulls}/merge`, { Do: 'merge' })
  await zen.must('POST', `${api}/statuses/${sha}`, { context: 'check', state: 'success' })
  await zen.must('POST', `${api}/git/notes/${sha}`, { message: 'a note' })
  await post(zen, `${api}/branches`, { new_branch_name: 'gone' })
  await zen.must('DELETE', `${api}/branches/gone`)
  await zen.must('POST', `${api}/keys`, { title: 'd', key: keyOf(login, 5), read_only: true })
  await zen.must('POST', `${api}/branch_protections`, {
    rule_name: 'kept',
    enable_push: true,
    enable_push_whitelist: true,
    push_whitelist_usernames: [login],
    enable_merge_whitelist: true,
    merge_whitelist_usernames: [login],
    enable_approvals_whitelist: true,
    approvals_whitelist_username: [login],
  })
  await zen.must('POST', `${api}/tag_protections`, { name_pattern: 'v*', whitelist_usernames: [login] })
  const release = await post(zen, `${api}/releases`, { tag_name: 'v1' })
  await zen.must('POST', `${api}/releases/${release.id}/assets`, undefined, upload('r.txt', 'abc'))
  await zen.must('POST', `${api}/wiki/new`, { title: 'page', content_base64: 'eA==' })
  await zen.must('POST', `${api}/forks`, { name: 'fork' })
  await forge.settle()
  await commitFiles(forge, `/repos/${login}/fork`, { 'f.txt': 'f\n' }, { newBranch: 'side', as: login })
  const open = await post(zen, `${api}/pulls`, { title: 'from a fork', head: `${login}:side`, base: 'main' })
  await post(alice, `${api}/issues/${open.number}/comments`, { body: 'thanks' })
  await post(alice, `${api}/pulls/${open.number}/reviews`, { event: 'REQUEST_CHANGES', body: 'no' })
  const object = contentOf('large')
  const lfs = new LfsClient(zen, repo)
  assert.equal((await lfs.put(object)).status, 200)
  assert.equal((await lfs.send('POST', 'locks', { path: 'a.bin' })).status, 201)
  // Workflows.
  await commitFiles(
    forge,
    api,
    {
      '.forgejo/workflows/w.yml': `on:\n  push:\n  schedule: [{ cron: '0 0 1 1 *' }]\njobs: { a: { runs-on: x, steps: [{ run: x }] } }\n`,
    },
    { as: login },
  )
  await zen.must('PUT', '/api/packages/guild/generic/tool/1/f', undefined, { site: true, raw: 'x' })
  await forge.settle()
}

const settleLater = async (forge: Forge): Promise<void> => {
  await forge.settle()
  // Clean-up jobs run.
  forge.clock.advance(86_400_000)
  await forge.settle()
}

test('repoDelete, orgDelete, adminDeleteUser: no table names what was deleted', async () => {
  await using forge = await startForge({
    settings: { ...everythingOn, ...settingsOfBelongings },
    users: ['alice', 'bob', 'eve'],
  })
  const counted = await spreadIds(forge)
  await forge.addUser('zenobiaone', { email: 'zenobia@example.com' })
  const root = forge.as('root')
  await root.must('POST', '/admin/users/zenobiaone/rename', { new_username: 'zenobia' })
  const { user } = await forge.addUser('zenobia')
  await makeBelongings(forge, 'zenobia')
  await beBusy(forge, 'zenobia')
  await forge.guest.get(`/activitypub/user-id/${user.id}`)
  await forge.settle()
  assert.deepEqual(unexplained(await findTraces(forge, counted, 'nobody at all')), [], 'before anything is deleted')

  // The test proves nothing unless every column that names an account names this one.
  const keys = await foreignKeys(forge)
  const untried = [...(await allRows(forge))].flatMap(([table, rows]) =>
    Object.keys(rows[0] ?? {})
      .filter((column) => /(?:user|owner|er|or|doer)_ids?$/.test(column) && !keys.has(`${table}.${column}`))
      .filter((column) => !rows.some((row) => textOf(row[column]).includes(String(user.id))))
      .map((column) => `${table}.${column}`),
  )
  assert.deepEqual(
    untried.filter((column) => !notTried.has(column)),
    [],
  )

  const zenobia = forge.as('zenobia')
  await zenobia.must('DELETE', '/repos/zenobia/home')
  await settleLater(forge)
  assert.deepEqual(
    unexplained(await findTraces(forge, counted, 'zenobia/home')).filter((trace) => !isToldToOwner(trace)),
    [],
    'a repository',
  )
  await zenobia.must('DELETE', '/orgs/zenobias-guild')
  await settleLater(forge)
  assert.deepEqual(
    unexplained(await findTraces(forge, counted, 'zenobias-guild')).filter((trace) => !isToldToOwner(trace)),
    [],
    'an organization',
  )
  await root.must('DELETE', '/admin/users/zenobia?purge=true')
  await settleLater(forge)
  assert.deepEqual(unexplained(await findTraces(forge, counted, 'zenobia')), [], 'an account')

  assert.deepEqual(await examined(forge.services), [], 'nor does anything else keep an account of it')

  // Contributions to places of others remain visible.
  const shown = forge.services.operations().filter(({ method, base, path, cost }) => {
    return method === 'GET' && base === 'api' && path.includes('{reponame}') && cost !== 'waiting'
  })
  const broken: string[] = []
  await eachOf(shown, 8, async (operation) => {
    const path = addressOf(operation, { username: 'alice', reponame: 'common', index: '2' })
    const { status } = await forge.as('alice').get(path)
    if (status >= 500) broken.push(`${path}: ${status}`)
  })
  assert.deepEqual(broken, [])
})
