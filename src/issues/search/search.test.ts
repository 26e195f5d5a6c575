import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import test from 'node:test'
import { sql, type RawBuilder } from 'kysely'
import { listGiven, teamGrantsByRepo } from '../../access/access.store.ts'
import { makeWorld, nameOf, viewersOf, type World } from '../../access/conditions/access-world.test-support.ts'
import type { Services } from '../../access/context.ts'
import { computeRights } from '../../access/rights.ts'
import type { Viewer } from '../../auth/viewer.ts'
import { transaction, type Db, type Tx } from '../../db/database.ts'
import type { IssueId, RepoId, TeamId, UserId } from '../../lib/ids.ts'
import { openTestDatabase } from '../../testing/database.ts'
import { dice } from '../../testing/dice.ts'
import { listColumnsCheck } from '../lists/doctor.service.ts'
import type { IssueFilter, VisibleScope } from './issue-filter.store.ts'
import { findEverywhere, type SearchFilter, type SearchLimits } from './search.store.ts'
import { parseSearchWords } from './words.parse.ts'

type Dice = ReturnType<typeof dice>

const labelNames = ['bug', 'rare', 'idea']
const titles = ['v1', 'v2']

const run = (tx: Tx, statement: RawBuilder<unknown>) => statement.execute(tx)

async function idOf<Id>(tx: Tx, statement: RawBuilder<{ id: Id }>): Promise<Id> {
  return (await statement.execute(tx)).rows[0]?.id as Id
}

/** Inserts issues with data for every filter into each repository, and changes much of it afterwards. */
async function fill(db: Db, { repositories, people }: World, { below, chance, of, some }: Dice): Promise<void> {
  await transaction(db, async (tx) => {
    const teams = await tx.selectFrom('team').select('id').execute()
    const ids = people.map(({ id }) => id)
    const when = () => 1000 + below(6)
    for (const { repo } of repositories) {
      const labels: number[] = []
      for (const name of some(labelNames, 70)) {
        labels.push(
          await idOf<number>(
            tx,
            sql`insert into label (repo_id, name, color, created_unix, updated_unix)
              values (${repo.id}, ${name}, 'aabbcc', 1, 1) returning id`,
          ),
        )
      }
      const milestones: number[] = []
      for (const title of some(titles, 60)) {
        milestones.push(
          await idOf<number>(
            tx,
            sql`insert into milestone (repo_id, title, created_unix, updated_unix)
              values (${repo.id}, ${title}, 1, 1) returning id`,
          ),
        )
      }
      const counts = { issues: 0, pulls: 0 }
      const size = chance(25) ? 8 + below(8) : below(7)
      for (let number = 1; number <= size; number++) {
        const isPull = chance(60)
        counts[isPull ? 'pulls' : 'issues'] += 1
        const id = await idOf<IssueId>(
          tx,
          sql`insert into issue (repo_id, "index", is_pull, poster_id, title, content, milestone_id, created_unix, updated_unix)
            values (${repo.id}, ${number}, ${isPull}, ${of(ids)}, ${chance(50) ? 'alpha' : 'beta'}, ${chance(30) ? 'gamma' : ''},
              ${milestones.length > 0 && chance(60) ? of(milestones) : null}, ${when()}, ${when()}) returning id`,
        )
        for (const label of some(labels, 40)) {
          await run(tx, sql`insert into issue_label (issue_id, label_id) values (${id}, ${label})`)
        }
        for (const person of some(ids, 25)) {
          await run(tx, sql`insert into issue_assignee (issue_id, user_id) values (${id}, ${person})`)
        }
        for (const person of some(ids, 25)) {
          await run(tx, sql`insert into issue_mention (issue_id, user_id) values (${id}, ${person})`)
        }
        for (const person of [...some(ids, 30), ...some(ids, 20)]) {
          await run(
            tx,
            sql`insert into comment (issue_id, type, poster_id, created_unix, updated_unix)
              values (${id}, ${of(['comment', 'review', 'code', 'label'])}, ${person}, 1, 1)`,
          )
        }
        if (!isPull) continue
        const review = (type: string, person: UserId | null, team: TeamId | null) =>
          run(
            tx,
            sql`insert into review (issue_id, type, reviewer_id, reviewer_team_id, created_unix, updated_unix)
              values (${id}, ${type}, ${person}, ${team}, 1, 1)`,
          )
        for (const person of some(ids, 20)) await review(of(['approve', 'reject', 'comment']), person, null)
        for (const person of some(ids, 30)) await review('request', person, null)
        const [before, after] = chance(50) ? [teams, []] : [[], teams]
        for (const { id: team } of some(before, 30)) await review('request', null, team)
        for (const person of some(ids, 40)) await review(of(['approve', 'reject', 'comment', 'pending']), person, null)
        for (const { id: team } of some(after, 30)) await review('request', null, team)
      }
      await run(
        tx,
        sql`update repo set num_issues = ${counts.issues}, num_pulls = ${counts.pulls} where id = ${repo.id}`,
      )
    }
    const rows = await tx.selectFrom('issue').select(['id', 'repo_id', 'is_pull']).execute()
    for (const { id } of some(rows, 40)) await run(tx, sql`update issue set is_closed = ${true} where id = ${id}`)
    for (const { id } of some(rows, 20)) await run(tx, sql`update issue set poster_id = ${of(ids)} where id = ${id}`)
    for (const { id } of some(rows, 20)) await run(tx, sql`update issue set updated_unix = ${when()} where id = ${id}`)
    await run(
      tx,
      sql`update repo set
      num_closed_issues = (select count(*) from issue where repo_id = repo.id and is_closed and not is_pull),
      num_closed_pulls = (select count(*) from issue where repo_id = repo.id and is_closed and is_pull)`,
    )
    const reviews = await tx.selectFrom('review').select(['id', 'type']).execute()
    for (const { id, type } of some(reviews, 20)) {
      await (type === 'pending'
        ? run(tx, sql`update review set type = 'approve' where id = ${id}`)
        : run(tx, sql`delete from review where id = ${id}`))
    }
  })
}

/** Reads all rows that the reference implementation of the search uses. */
async function readAll(db: Db) {
  const [issues, labels, milestones, assignees, mentions, comments, reviews, members, teams, held] = await Promise.all([
    db.selectFrom('issue').selectAll().execute(),
    db
      .selectFrom('issue_label')
      .innerJoin('label', 'label.id', 'issue_label.label_id')
      .select(['issue_id', 'name'])
      .execute(),
    db.selectFrom('milestone').select(['id', 'title']).execute(),
    db.selectFrom('issue_assignee').select(['issue_id', 'user_id']).execute(),
    db.selectFrom('issue_mention').select(['issue_id', 'user_id']).execute(),
    db.selectFrom('comment').select(['issue_id', 'poster_id', 'type']).execute(),
    db.selectFrom('review').select(['id', 'issue_id', 'type', 'reviewer_id', 'reviewer_team_id']).execute(),
    db.selectFrom('team_user').select(['team_id', 'user_id']).execute(),
    db.selectFrom('team').select(['id', 'org_id', 'access_mode', 'includes_all_repositories']).execute(),
    db.selectFrom('team_repo').select(['team_id', 'repo_id']).execute(),
  ])
  return { issues, labels, milestones, assignees, mentions, comments, reviews, members, teams, held }
}
type All = Awaited<ReturnType<typeof readAll>>

/** Returns the repositories of the search's owner and team, without a check of rights. */
function reposOf(
  { repositories }: World,
  { teams, held }: All,
  { ownerId, teamId }: VisibleScope,
): ReadonlySet<RepoId> {
  const team = teams.find(({ id }) => id === teamId)
  const isHeld = (repoId: RepoId) =>
    team === undefined ||
    team.includes_all_repositories ||
    team.access_mode === 4 ||
    held.some(({ team_id, repo_id }) => team_id === team.id && repo_id === repoId)
  const found = repositories.filter(({ repo, owner }) => (ownerId ?? owner.id) === owner.id && isHeld(repo.id))
  return new Set(found.map(({ repo }) => repo.id))
}

/** Returns whether an issue matches a filter. */
function isWanted(all: All, filter: IssueFilter, issue: All['issues'][number]): boolean {
  const of = <Row extends { readonly issue_id: IssueId }>(rows: readonly Row[]) =>
    rows.filter(({ issue_id }) => issue_id === issue.id)
  const title = all.milestones.find(({ id }) => id === issue.milestone_id)?.title
  const { reviewedBy, reviewAskedOf, labelNames: names, milestoneTitles, words } = filter
  const isAsked = (userId: UserId): boolean => {
    const teams = new Set(all.members.filter(({ user_id }) => user_id === userId).map(({ team_id }) => team_id))
    const reviews = of(all.reviews)
    return reviews.some(
      (request) =>
        request.type === 'request' &&
        (request.reviewer_id === userId ||
          (request.reviewer_team_id !== null && teams.has(request.reviewer_team_id))) &&
        !reviews.some(
          ({ id, type, reviewer_id }) =>
            reviewer_id === userId && (type === 'approve' || type === 'reject') && id > request.id,
        ),
    )
  }
  const isOther = (userId: UserId) => issue.is_pull && issue.poster_id !== userId
  return (
    filter.isPull.includes(issue.is_pull) &&
    (filter.isClosed === undefined || filter.isClosed === issue.is_closed) &&
    (filter.posterId === undefined || filter.posterId === issue.poster_id) &&
    (filter.assigneeId === undefined || of(all.assignees).some(({ user_id }) => user_id === filter.assigneeId)) &&
    (filter.mentionedId === undefined || of(all.mentions).some(({ user_id }) => user_id === filter.mentionedId)) &&
    (filter.sinceUnix === undefined || issue.updated_unix >= filter.sinceUnix) &&
    (filter.beforeUnix === undefined || issue.updated_unix <= filter.beforeUnix) &&
    (filter.allLabelNames ?? []).every((wanted) => of(all.labels).some(({ name }) => name === wanted)) &&
    !of(all.labels).some(({ name }) => (filter.noneOfLabelNames ?? []).includes(name)) &&
    (names === undefined || of(all.labels).some(({ name }) => names.includes(name))) &&
    (milestoneTitles === undefined || (title !== undefined && milestoneTitles.includes(title))) &&
    (words === undefined || issue.title === 'alpha' || issue.content === 'alpha') &&
    (reviewAskedOf === undefined || (isOther(reviewAskedOf) && isAsked(reviewAskedOf))) &&
    (reviewedBy === undefined ||
      (isOther(reviewedBy) &&
        of(all.comments).some(
          ({ poster_id, type }) => poster_id === reviewedBy && ['comment', 'review', 'code'].includes(type),
        )))
  )
}

/** Returns the repositories in which a viewer can read issues and pull requests: the unit is enabled and readable. */
async function readersOf(db: Db, { repositories, accounts }: World, viewer: Viewer | undefined) {
  const repoIds = repositories.map(({ repo }) => repo.id)
  const accountIds = accounts.map(({ id }) => id)
  const { collaborations, memberships, teams } = viewer
    ? await listGiven(db, repoIds, accountIds, viewer.id)
    : { collaborations: [], memberships: [], teams: [] }
  const teamsOf = teamGrantsByRepo(teams)
  const units = await db.selectFrom('repo_unit').selectAll().execute()
  const rights = new Map(
    repositories.map(({ repo, owner }) => [
      repo.id,
      computeRights({
        viewer,
        owner,
        repo,
        units: units.filter((unit) => unit.repo_id === repo.id),
        isMember: memberships.some((row) => row.org_id === owner.id),
        collaboration: collaborations.find((row) => row.repo_id === repo.id)?.access_mode ?? 0,
        teams: teamsOf.get(repo.id) ?? [],
      }),
    ]),
  )
  return (repoId: RepoId, isPull: boolean) => (rights.get(repoId)?.modeOf(isPull ? 'pulls' : 'issues') ?? 0) >= 1
}

/** Returns filters of no, one or two conditions. */
function someFilters(
  userId: UserId,
  { below, chance, of, some }: Dice,
  scopes: readonly VisibleScope[],
): SearchFilter[] {
  const time = () => 1000 + below(6)
  const kinds: (() => Partial<IssueFilter>)[] = [
    () => ({ posterId: userId }),
    () => ({ assigneeId: userId }),
    () => ({ mentionedId: userId }),
    () => ({ reviewedBy: userId }),
    () => ({ reviewAskedOf: userId }),
    () => ({ reviewAskedOf: userId }),
    () => ({ labelNames: [of(labelNames), 'rare'] }),
    () => ({ allLabelNames: [of(labelNames)] }),
    () => ({ allLabelNames: ['bug', of(labelNames)] }),
    () => ({ noneOfLabelNames: [of(labelNames)] }),
    () => ({ milestoneTitles: [of(titles)] }),
    () => ({ sinceUnix: time() }),
    // A time that most issues of a repository match.
    () => ({ sinceUnix: 1000 }),
    () => ({ beforeUnix: time() }),
    () => ({ beforeUnix: 1005 }),
    () => ({ sinceUnix: time(), beforeUnix: time() }),
    () => ({ words: parseSearchWords('alpha') }),
    // The search then starts from the words and checks the review request of each issue.
    () => ({ words: parseSearchWords('alpha'), reviewAskedOf: userId }),
    () => ({ words: parseSearchWords('alpha'), reviewedBy: userId }),
  ]
  return [() => ({}), () => ({}), ...some(kinds, 45)].map((kind) => ({
    ...kind(),
    ...(chance(50) ? of(kinds)() : {}),
    scope: of(scopes),
    isClosed: of([false, true, undefined]),
    isPull: of([[false], [true], [false, true], [false, true]]),
  }))
}

/** Returns the default limits, or small ones that exercise each access path and each bound. */
const someLimits = ({ chance, of }: Dice, wanted: number): SearchLimits | undefined =>
  chance(15)
    ? undefined
    : {
        found: of([2, 3, 5, 9, 1000, ...[0, 1].map((more) => Math.max(2, wanted + more))]),
        gathered: of([2, 4, 1000]),
        repos: of([2, 100]),
        exactRepos: of([0, 2, 100]),
        texts: 100_000,
        tested: of([4, 6, 500]),
      }

test('issueSearchIssues: a search returns and counts the same issues as a full scan, for each viewer and filter', async () => {
  // A failure prints its seed: `INGOT_TEST_SEED=<seed>` repeats the run.
  const given = process.env['INGOT_TEST_SEED']
  const seed = given === undefined ? randomInt(1 << 30) : Number(given)
  await using database = await openTestDatabase()
  const { db } = database
  const world = await makeWorld(db, seed)
  const chosen = dice(seed)
  await fill(db, world, chosen)
  const all = await readAll(db)
  assert.ok(all.issues.every((issue) => issue.updated_unix >= issue.created_unix))
  const newest = all.issues.toSorted((one, other) => other.created_unix - one.created_unix || other.id - one.id)
  const owners = world.accounts.map(({ id }) => id)
  let found = 0
  for (const viewer of viewersOf(world)) {
    // oxlint-disable-next-line no-await-in-loop -- one viewer after the other
    const reads = await readersOf(db, world, viewer)
    const scopeOf = (ownerId?: UserId, teamId?: TeamId): VisibleScope => ({ kind: 'visible', viewer, ownerId, teamId })
    const everywhere = scopeOf()
    const scopes = [
      ...[everywhere, everywhere, everywhere],
      ...[chosen.of(owners), chosen.of(owners)].map((ownerId) => scopeOf(ownerId)),
      ...[chosen.of(all.teams), chosen.of(all.teams)].map((team) => scopeOf(team.org_id, team.id)),
    ]
    for (const filter of someFilters(viewer?.id ?? (owners[0] as UserId), chosen, scopes)) {
      const { scope, ...rest } = filter
      const repoIds = reposOf(world, all, scope)
      const expected = newest.filter(
        (issue) => repoIds.has(issue.repo_id) && reads(issue.repo_id, issue.is_pull) && isWanted(all, filter, issue),
      )
      for (const limits of [someLimits(chosen, expected.length), someLimits(chosen, expected.length)]) {
        const shown = expected.slice(0, limits?.found ?? 5000)
        const offset = chosen.chance(50) ? 0 : chosen.below(shown.length + 3)
        // oxlint-disable-next-line no-await-in-loop -- one after the other
        const { keys, total, bound } = await findEverywhere(db, filter, { limit: 4, offset }, limits)
        const { ownerId, teamId } = scope
        assert.deepEqual(
          { total, bound, ids: keys.map(({ id }) => id) },
          {
            total: shown.length,
            bound: shown.length < expected.length ? 'rows' : undefined,
            ids: shown.slice(offset, offset + 4).map(({ id }) => id),
          },
          `seed ${seed}, ${nameOf(viewer)}, ${JSON.stringify({ ownerId, teamId, ...rest, limits, offset })}`,
        )
        found += keys.length
      }
    }
  }
  assert.ok(found > 30, `seed ${seed}: ${found} issues were found`)
})

test('doctor: finds and repairs review requests with a wrong waiting flag', async () => {
  await using database = await openTestDatabase()
  const { db } = database
  const seed = randomInt(1 << 30)
  await fill(db, await makeWorld(db, seed), dice(seed))
  const requests = () =>
    db
      .selectFrom('review')
      .select(['id', 'is_waiting', 'is_of_closed', 'repo_id', 'pull_created_unix'])
      .where('type', '=', 'request')
      .orderBy('id')
      .execute()
  const look = async (fix: boolean): Promise<string[]> => {
    const found: string[] = []
    for await (const { what } of listColumnsCheck.run({ db } as Services, { fix })) found.push(what)
    return found
  }
  // The stored columns are right after any order of writes.
  assert.deepEqual(await look(false), [], `seed ${seed}`)
  const before = await requests()
  await transaction(db, (tx) => sql`update review set is_waiting = not is_waiting where type = 'request'`.execute(tx))
  assert.match((await look(true)).join(), new RegExp(`^review: ${before.length} rows of issues 1 to \\d+ `))
  assert.deepEqual(await requests(), before, `seed ${seed}`)
  await transaction(db, (tx) => sql`update review set repo_id = null where type = 'request'`.execute(tx))
  assert.equal((await look(true)).length, 1)
  assert.deepEqual([await look(false), await requests()], [[], before], `seed ${seed}`)
})
