import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { sql, type CompiledQuery } from 'kysely'
import { askers, fillStatements, smallSize } from '../scripts/lib/scale-fill.mjs'
import { addressIn, findPlaceholders, requestsOf } from '../scripts/lib/scale-requests.mjs'
import { allOperations } from '../src/app.ts'
import { engineOf, transaction, type Db } from '../src/db/database.ts'
import { migrations } from '../src/db/migrations/index.ts'
import { textOf } from '../src/db/migrations/migration.ts'
import { startForge } from '../src/testing/forge.ts'
import { collectStatements } from '../src/testing/statements.ts'
import type { RunStatement } from '../src/testing/watch-statements.ts'

/** Tables that grow with the instance; no list may scan one of them. */
const large = [
  'issue',
  'comment',
  'repo',
  'user',
  'issue_label',
  'issue_assignee',
  'issue_mention',
  'label',
  'pull',
  'review',
  'star',
  'watch',
  'email',
  'notification',
  'activity',
  'event',
  'collaboration',
  'team_user',
  'org_user',
  'repo_topic',
  'tracked_time',
  'package_version',
  'action_run',
  'release',
  'row_revision',
]

/** Statements that may sort, by a part of their text, with the reason. */
const allowed: readonly { readonly text: RegExp; readonly why: string }[] = [
  { text: /json_each\(|json_array_elements_text\(/, why: 'what belongs to the rows of a page' },
  { text: /repo\.audience > /, why: 'what was given to the viewer is one part of what is merged' },
]

/** Lists whose statements may scan a large table, with the reason. */
const scanning: readonly { readonly text: RegExp; readonly why: string }[] = [
  { text: /from "email" inner join "user" [^]* like /, why: 'addresses are looked through for parts of words' },
  {
    text: /\(select \* from repo where \(.* like /,
    why: 'PostgreSQL looks through names for parts of words where the rows are, which have what they are sorted by',
  },
  {
    text: /from "user" where ("user"\.)?"kind" = /,
    why: 'accounts are counted one by one, and looked through for parts of words',
  },
  {
    text: /^select \* from "action_run" (where "(status|event)" in \([^)]*\) )?order by "id" desc limit /,
    why: 'the newest runs of the instance are read by their ids until the page of an administrator is full',
  },
]

/** Lists below a repository `R`, requested by its owner. */
const orders = [
  'latest',
  'oldest',
  'recentupdate',
  'leastupdate',
  'mostcomment',
  'leastcomment',
  'nearduedate',
  'farduedate',
]
const lists = [
  ...orders.flatMap((sort) => ['open', 'closed', 'all'].map((state) => `R/issues?state=${state}&sort=${sort}`)),
  'R/issues?type=pulls&state=all',
  'R/issues?type=issues&sort=mostcomment',
  'R/issues?created_by=alice&state=all',
  'R/issues?milestones=m&state=open',
  'R/issues/comments?limit=5',
  'R/issues/comments?limit=5&page=2',
  'R/pulls?sort=recentupdate',
  'R/pulls?state=all',
  '/repos/issues/search',
  '/repos/issues/search?state=all&type=pulls',
  '/repos/search',
  ...['created', 'updated', 'size', 'git_size', 'lfs_size', 'stars', 'forks', 'id'].flatMap((sort) => [
    `/repos/search?sort=${sort}`,
    `/repos/search?sort=${sort}&order=desc&archived=false`,
  ]),
  '/notifications?all=true',
  'R/releases',
]

/** A step that SQLite finds by a person only. */
const byPersonAlone =
  /^SEARCH .* \((reviewer|poster|user|assignee|owner)_id=\?( AND (is_\w+|type|kind)=\?)*( AND (rowid|\w+_unix)[<>]\?)*\)/

/** The steps of a plan that scan a large table or sort before the page is cut. */
async function costlySteps(db: Db, { sql: text, parameters }: RunStatement): Promise<string[]> {
  const { kind, reader } = engineOf(db)
  const explain = (prefix: string): CompiledQuery => ({ ...sql.raw(`${prefix} ${text}`).compile(reader), parameters })
  if (kind === 'sqlite') {
    const { rows } = await reader.executeQuery<{ id: number; parent: number; detail: string }>(
      explain('explain query plan'),
    )
    const steps = new Map(rows.map((row) => [row.id, row]))
    /** Sorting a set of ids for a join is fine: it is as large as what the viewer was granted. */
    const isInSet = (row: { readonly parent: number }): boolean => {
      const above = steps.get(row.parent)
      return above !== undefined && (/SUBQUERY|MATERIALIZE|CO-ROUTINE/.test(above.detail) || isInSet(above))
    }
    /** Whether a step repeats for each row of the previous steps. */
    const isRepeated = (row: { readonly parent: number }): boolean => {
      const above = steps.get(row.parent)
      return above !== undefined && (above.detail.startsWith('CORRELATED') || isRepeated(above))
    }
    /** Scanning everything of a person for each row is quadratic. */
    const isSquare = (row: { readonly parent: number; readonly detail: string }): boolean =>
      // An `exists` that SQLite turns into a join stands beside the previous steps.
      byPersonAlone.test(row.detail) && (isRepeated(row) || / EXISTS /.test(row.detail))
    /** A materialized subquery may carry the name of its table. */
    const derived = new Set(rows.map(({ detail }) => /^(?:CO-ROUTINE|MATERIALIZE) "?(\w+)/.exec(detail)?.[1]))
    return rows
      .filter((row) => {
        if (isSquare(row)) return true
        const [, scanned] = /^SCAN "?(\w+)"?(?! USING)/.exec(row.detail) ?? []
        return scanned === undefined
          ? row.detail.endsWith('USE TEMP B-TREE FOR ORDER BY') && !isInSet(row)
          : large.includes(scanned) && !derived.has(scanned)
      })
      .map(({ detail }) => detail)
  }
  // PostgreSQL reads and sorts small tables whole unless that is off; then only statements without an index do.
  return reader.connection().execute(async (connection) => {
    await sql`set enable_seqscan = off`.execute(connection)
    await sql`set enable_sort = off`.execute(connection)
    try {
      const { rows } = await connection.executeQuery<Record<string, string>>(explain('explain'))
      const steps = rows.map((row) => Object.values(row)[0] as string)
      const scans = steps.filter((step) => large.includes(/Seq Scan on "?(\w+)"?/.exec(step)?.[1] ?? ''))
      // Parts of a union are merged: sorting them would read all of them.
      const sorts = steps.flatMap((step, index) =>
        /^\W*(Incremental )?Sort /.test(step) &&
        / Append /.test(steps.slice(index + 1).find((next) => next.includes('->')) ?? '')
          ? [`${step.trim()} of all pieces`]
          : [],
      )
      return [...scans, ...sorts]
    } finally {
      await sql`reset enable_sort`.execute(connection)
      await sql`reset enable_seqscan`.execute(connection)
    }
  })
}

test('no statement of a list scans a large table or sorts more than its page', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const repo = await forge.given.repo({ owner: 'alice', name: 'lists' })
  const alice = forge.as('alice')
  const milestone = (await alice.must('POST', `${repo.api}/milestones`, { title: 'm' })).json.id
  await Promise.all(
    Array.from({ length: 5 }, (_, index) =>
      alice.must('POST', `${repo.api}/issues`, { title: `issue ${index}`, milestone }),
    ),
  )
  await alice.must('POST', `${repo.api}/issues/1/comments`, { body: 'said' })
  await alice.must('PATCH', `${repo.api}/issues/2`, { state: 'closed' })
  const found: string[] = []
  const seen = new Set<string>()
  for (const list of lists) {
    const path = list.replace(/^R/, repo.api)
    // oxlint-disable-next-line no-await-in-loop -- the statements of each list are explained
    using collected = await collectStatements(forge)
    // oxlint-disable-next-line no-await-in-loop -- as above
    const { status } = await alice.get(path)
    assert.equal(status, 200, path)
    const statements = collected.statements.filter(({ sql: text }) => !seen.has(text))
    collected[Symbol.dispose]()
    for (const statement of statements) {
      seen.add(statement.sql)
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const steps = await costlySteps(forge.services.db, statement)
      const maySort = allowed.some((each) => each.text.test(statement.sql))
      const bad = steps.filter((step) => !maySort || !step.includes('ORDER BY'))
      if (bad.length > 0) {
        found.push(`${list}: ${bad.join('; ')}\n  ${statement.sql.slice(0, 600)}`)
      }
    }
  }
  assert.deepEqual(found, [])
})

test('no declared list or search scans a large table, with any filter and order', async () => {
  await using forge = await startForge()
  const { db } = forge.services
  await transaction(db, async (tx) => {
    for (const statement of fillStatements(smallSize, engineOf(db).kind)) {
      // oxlint-disable-next-line no-await-in-loop -- each statement needs the rows of the previous ones
      await sql.raw(statement).execute(tx)
    }
  })
  const places = await findPlaceholders(forge.url, smallSize)
  const found: string[] = []
  const seen = new Set<string>()
  let answered = 0
  const single = requestsOf(allOperations()).filter(({ isPair }) => !isPair)
  const withWords = new Set(single.flatMap(({ operation, isWords }) => (isWords ? [operation] : [])))
  // A word search finds rows by words and checks other conditions per row.
  const besideWords = single
    .filter(({ operation, isFilter, isWords }) => isFilter && !isWords && withWords.has(operation))
    .map((request) => ({ ...request, name: `${request.name}&q=word7`, given: { ...request.given, q: 'word7' } }))
  for (const request of [...single, ...besideWords]) {
    // oxlint-disable-next-line no-await-in-loop -- the statements of each list are explained
    using collected = await collectStatements(forge)
    // oxlint-disable-next-line no-await-in-loop -- as above
    const { status } = await fetch(`${forge.url}${addressIn(places, request)}`, {
      headers: {
        authorization: `token ${request.operation.startsWith('admin') ? askers.administrator : askers.person}`,
      },
    })
    if (status === 200) answered += 1
    const statements = collected.statements.filter(({ sql: text }) => !seen.has(text))
    collected[Symbol.dispose]()
    for (const statement of statements) {
      seen.add(statement.sql)
      if (scanning.some((each) => each.text.test(statement.sql))) continue
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const steps = await costlySteps(db, statement)
      const bad = steps.filter((step) => !step.includes('ORDER BY'))
      if (bad.length > 0) found.push(`${request.name}: ${bad.join('; ')}\n  ${statement.sql.slice(0, 300)}`)
    }
  }
  assert.deepEqual(found, [])
  assert.ok(answered > 250, `${answered} lists were answered: what is asked for is there`)
})

/** Single-column conditions of partial indexes: `status = 'waiting'`, `pin_order > 0`, `not is_expired`, `is_waiting`. */
function conditionsOfIndexes(): { readonly column: string; readonly isSame: RegExp }[] {
  const texts = migrations.map(({ statements }) => textOf(statements, 'sqlite')).join('\n')
  const conditions = [...texts.matchAll(/create (?:unique )?index \w+\s+on "?\w+"?\s*\([^;]*?\)\s+where ([^;]+);/g)]
  const parts = conditions.flatMap(([, condition = '']) => condition.split(/\s+and\s+|\s+or\s+/))
  return [...new Set(parts.map((part) => part.trim()))].flatMap((part) => {
    const compared = /^(\w+) (=|>|<>) ('\w*'|\d+)$/.exec(part)
    const flag = /^(?:not )?(\w+)$/.exec(part)
    if (compared) {
      const [, column = '', operator = '', value = ''] = compared
      return [{ column, isSame: new RegExp(`'(?:\\w+\\.)?${column}', '${operator}', ${value}\\)`) }]
    }
    return flag ? [{ column: flag[1]!, isSame: new RegExp(`'(?:\\w+\\.)?${flag[1]}', '=', (?:true|false)\\)`) }] : []
  })
}

test('a query that uses a partial index spells out its condition, because plans ignore arguments', () => {
  const conditions = conditionsOfIndexes()
  assert.ok(conditions.some(({ column }) => column === 'pin_order'))
  assert.ok(conditions.some(({ column }) => column === 'is_expired'))
  const stores = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.store.ts'))
  const found = stores.flatMap((path) => {
    const text = readFileSync(`src/${path}`, 'utf8')
    return conditions.flatMap(({ isSame }) => isSame.exec(text)?.map((line) => `${path}: (${line}`) ?? [])
  })
  assert.deepEqual(found, [])
})
