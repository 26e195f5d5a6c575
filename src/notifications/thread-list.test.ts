import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import test from 'node:test'
import { sql } from 'kysely'
import { makeWorld, nameOf, viewersOf } from '../access/conditions/access-world.test-support.ts'
import type { Services } from '../access/context.ts'
import { accessToAll } from '../access/repo-access.ts'
import { countersCheck } from '../admin/doctor/doctor-checks.service.ts'
import { viewerAs } from '../auth/viewer.ts'
import { transaction, type Db } from '../db/database.ts'
import { threadStatuses, threadSubjects, type ThreadRow } from '../db/tables/notifications.ts'
import type { RepoId, UserId } from '../lib/ids.ts'
import { dice } from '../testing/dice.ts'
import { openTestDatabase } from '../testing/database.ts'
import { numbersUpTo } from '../testing/numbers.ts'
import { notificationCounters } from './counter.store.ts'
import { countThreads, findThreads, type ThreadFilter } from './thread.store.ts'

const isWanted = (filter: ThreadFilter, thread: ThreadRow): boolean =>
  (filter.statuses.length === 0 || filter.statuses.includes(thread.status)) &&
  (filter.subjects.length === 0 || filter.subjects.includes(thread.subject)) &&
  (filter.repoId === undefined || filter.repoId === thread.repo_id) &&
  (filter.since === undefined || thread.updated_ms >= filter.since * 1000) &&
  (filter.before === undefined || thread.updated_ms < (filter.before + 1) * 1000)

const listAll = (db: Db): Promise<ThreadRow[]> =>
  db.selectFrom('notification').selectAll().orderBy('updated_ms', 'desc').orderBy('id', 'desc').execute()

/** Creates issues 1 to `count` in each repository; each third one is a pull request. */
const makeIssues = (db: Db, count: number) =>
  transaction(db, (tx) =>
    sql`insert into issue (repo_id, "index", is_pull, poster_id, title, content, created_unix, updated_unix)
      select repo.id, i, i % 3 = 0, repo.owner_id, 'title', '', 1, 1 from repo cross join ${numbersUpTo(count)}`.execute(
      tx,
    ),
  )

test('notifications: each page equals a full scan of the readable threads, for each viewer', async () => {
  // A failure names its seed; `INGOT_TEST_SEED=<seed>` repeats the run.
  const wanted = process.env['INGOT_TEST_SEED']
  const seed = wanted === undefined ? randomInt(1 << 30) : Number(wanted)
  const { below, chance, of, some } = dice(seed)
  await using database = await openTestDatabase()
  const { db } = database
  const world = await makeWorld(db, seed)
  await makeIssues(db, 4)
  const issues = await db.selectFrom('issue').select(['id', 'repo_id', 'is_pull']).execute()
  const rows = world.people.flatMap(({ id }) => {
    const row = (repoId: RepoId, issueId: number | null, subject: string) =>
      sql`(${id}, ${repoId}, ${issueId}, ${subject}, ${of(threadStatuses)}, 1, ${below(40) * 250})`
    return [
      ...some(issues, 40).map((issue) => row(issue.repo_id, issue.id, issue.is_pull ? 'pull' : 'issue')),
      ...some(world.repositories, 40).map(({ repo }) => row(repo.id, null, 'repository')),
    ]
  })
  await transaction(db, (tx) =>
    sql`insert into notification (user_id, repo_id, issue_id, subject, status, created_unix, updated_ms)
      values ${sql.join(rows)}`.execute(tx),
  )
  const made = await listAll(db)
  await transaction(db, async (tx) => {
    for (const { id } of some(made, 30)) {
      await sql`update notification set status = ${of(threadStatuses)} where id = ${id}`.execute(tx)
    }
    await sql`update notification set status = 'read' where id % 10 = 1`.execute(tx)
    await sql`delete from notification where id % 10 = 2`.execute(tx)
    for (const { id } of some(issues, 10)) await sql`delete from issue where id = ${id}`.execute(tx)
  })
  const miscounted = async (fix: boolean) => {
    const services = { db, parts: { counters: notificationCounters } } as unknown as Services
    const found: string[] = []
    for await (const { what } of countersCheck.run(services, { fix })) found.push(what)
    return found
  }
  assert.deepEqual(await miscounted(false), [], `seed ${seed}: what is counted`)
  await transaction(db, (tx) => sql`delete from notification_tally where status = 'read'`.execute(tx))
  await transaction(db, (tx) => sql`update notification_tally set total = 1000 where subject = 'issue'`.execute(tx))
  assert.ok((await miscounted(true)).length > 1)
  assert.deepEqual(await miscounted(false), [], `seed ${seed}: what is put right`)
  const all = await listAll(db)
  for (const viewer of viewersOf(world)) {
    if (viewer === undefined) continue
    const access = await accessToAll(db, viewer, world.repositories)
    const readable = all.filter(({ user_id, repo_id, subject }) => {
      const rights = access.get(repo_id)?.rights
      if (user_id !== viewer.id || rights === undefined) return false
      return subject === 'issue'
        ? rights.modeOf('issues') >= 1
        : subject === 'pull'
          ? rights.modeOf('pulls') >= 1
          : rights.any
    })
    for (let turn = 0; turn < 6; turn++) {
      const filter: ThreadFilter = {
        statuses: some(threadStatuses, 50),
        subjects: chance(50) ? [] : some(threadSubjects, 50),
        repoId: chance(30) ? of(world.repositories).repo.id : undefined,
        since: chance(30) ? below(10) : undefined,
        before: chance(30) ? below(10) : undefined,
      }
      const about: string = `seed ${seed}, ${nameOf(viewer)}, ${JSON.stringify(filter)}`
      const expected = readable.filter((thread) => isWanted(filter, thread))
      const offset = below(expected.length + 1)
      const { rows: listed, total } = await findThreads(db, viewer, filter, { number: 1, limit: 6, offset })
      assert.equal(total, expected.length, about)
      assert.deepEqual(listed, expected.slice(offset, offset + 6), `${about} from ${offset}`)
      const withoutTimes = { ...filter, since: undefined, before: undefined }
      const counted = readable.filter((thread) => isWanted(withoutTimes, thread)).length
      assert.equal(await countThreads(db, viewer, withoutTimes), counted, about)
    }
  }
})

test('notifications: deep pages work, with threads in more repositories than one access check covers', async () => {
  await using database = await openTestDatabase()
  const { db } = database
  const repos = 1100
  await transaction(db, async (tx) => {
    await sql`insert into "user" (id, kind, name, lower_name, visibility, created_unix, updated_unix)
      values (1001, 'individual', 'alice', 'alice', 'public', 1, 1), (1002, 'individual', 'bob', 'bob', 'public', 1, 1),
        (1003, 'individual', 'carol', 'carol', 'public', 1, 1)`.execute(tx)
    await sql`insert into repo (id, owner_id, name, lower_name, git_key, default_branch, is_private, created_unix, updated_unix)
      select i, 1001, 'r' || i, 'r' || i, 'r' || i, 'main', i % 5 = 0, 1, 1 from ${numbersUpTo(repos)}`.execute(tx)
    await sql`insert into repo_unit (repo_id, unit) select id, 'issues' from repo where id % 7 > 0`.execute(tx)
  })
  await makeIssues(db, 4)
  // Bob has threads in each repository, Carol in a few.
  await transaction(db, (tx) =>
    sql`insert into notification (user_id, repo_id, issue_id, subject, status, created_unix, updated_ms)
      select reader.id, issue.repo_id, issue.id, 'issue',
        case issue.id % 4 when 0 then 'unread' when 1 then 'pinned' else 'read' end, 1, (issue.id * 7919) % 5000
      from issue cross join "user" as reader
      where reader.id = 1002 or (reader.id = 1003 and issue.repo_id <= 990)`.execute(tx),
  )
  const all = await listAll(db)
  const people = await db
    .selectFrom('user')
    .selectAll()
    .where('id', 'in', [1002 as UserId, 1003 as UserId])
    .execute()
  for (const user of people) {
    const readable = all.filter(({ user_id, repo_id }) => user_id === user.id && repo_id % 5 !== 0 && repo_id % 7 !== 0)
    for (const statuses of [[], ['unread', 'pinned'], ['read']] as const) {
      const expected = readable.filter((thread) => isWanted({ statuses, subjects: [] }, thread))
      for (const offset of [0, 40, 1000, expected.length - 1050, expected.length - 10]) {
        const page = { number: 1, limit: 30, offset }
        const { rows, total } = await findThreads(db, viewerAs(user), { statuses, subjects: [] }, page)
        assert.equal(total, expected.length)
        assert.deepEqual(rows, expected.slice(offset, offset + 30), `${user.name}, ${statuses.join()}, ${offset}`)
      }
    }
  }
})
