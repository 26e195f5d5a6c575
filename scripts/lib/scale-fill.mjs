/**
 * Fills an empty database with accounts, repositories, issues and their surroundings, by statements that insert many rows
 * each. The repositories exist as rows only, not on disk.
 *
 * Names are equal in every size: `hot` of `org1` is the repository with half of all issues, `u2` is the account with most
 * of what accounts own.
 */
import { createHash } from 'node:crypto'

/** Increase this number when the fill changes, so that kept instances are refilled. */
export const fillVersion = 7

const largest = {
  users: 20_000,
  orgs: 1000,
  repos: 100_000,
  issues: 1_000_000,
  comments: 1_000_000,
  stars: 20_000,
  releases: 5000,
  runs: 50_000,
  packages: 20_000,
  notifications: 100_000,
  events: 500_000,
  activities: 500_000,
  times: 50_000,
  statuses: 20_000,
  deliveries: 20_000,
  labels: 500,
  milestones: 500,
}

const smallest = {
  users: 60,
  orgs: 6,
  repos: 300,
  issues: 2000,
  comments: 2000,
  stars: 60,
  releases: 60,
  runs: 60,
  packages: 60,
  notifications: 200,
  events: 1000,
  activities: 1000,
  times: 100,
  statuses: 60,
  deliveries: 60,
  labels: 60,
  milestones: 60,
}

export const smallSize = smallest

/** @param part fraction of the full size, for example 0.1 */
export const sizeOf = (part) =>
  Object.fromEntries(
    Object.entries(largest).map(([name, count]) => [name, Math.max(smallest[name], Math.round(count * part))]),
  )

/** The accounts that send requests, with their tokens. */
export const askers = { administrator: 'a'.repeat(40), person: 'b'.repeat(40) }

const hashOf = (token) => createHash('sha256').update(`ingot-token\0${token}`).digest('hex')

/**
 * The most rows per statement: PostgreSQL keeps old row versions until a statement ends, and each new row updates counts
 * in other rows.
 */
const piece = 5000

/** The time of the oldest row, in seconds; later rows have later times. */
export const begin = 1_600_000_000

/** The statement that makes a table `n` with the numbers of a range in column `i`. */
const numbersIn = {
  sqlite: (last, first = 1) =>
    `(with recursive numbers(i) as (select ${first} union all select i + 1 from numbers where i < ${last}) select i from numbers) as n`,
  postgres: (last, first = 1) =>
    `(select i from generate_series(${first}::bigint, ${last}::bigint) as numbers(i)) as n`,
}

/**
 * The statements in order.
 * @param kind of the database: `sqlite` or `postgres`
 * @param hookAddress the address of the webhooks, sealed by the key of the instance
 */
export function fillStatements(size, kind, hookAddress = '') {
  const rows = numbersIn[kind]
  const { users, orgs, repos, issues, comments } = size
  const hot = Math.floor(issues / 2)
  const firstOrg = users + 2
  const isPull = (index) => `(${index} % 5 = 0)`
  const isClosed = (index) => `(${index} % 4 = 1)`
  const user = (number) => `(2 + (${number}) % ${users})`
  const text = (i) =>
    `'What happens with ' || ${i} || ' is that word' || (${i} % 3000) || ' and word' || ((${i} * 7) % 3000)
      || ' meet in a common way, as somebody who looks at it closely will find out soon enough.'
      || case when ${i} % 10007 = 77 then ' rareword' else '' end`
  const units = ['code', 'issues', 'pulls', 'releases', 'wiki', 'projects', 'packages', 'actions']
  const oid = (i) => `substr('0123456789abcdef0123456789abcdef' || (10000000 + ${i}), 1, 40)`
  /** One statement per batch of numbers. @param make takes the table of numbers and a condition that selects the batch */
  const inPieces = (count, make) =>
    Array.from({ length: Math.ceil(count / piece) }, (_, index) => {
      const [first, last] = [index * piece + 1, Math.min((index + 1) * piece, count)]
      return make(rows(last, first), (column) => `${column} between ${first} and ${last}`)
    })
  const numbers = (i) => `case when ${i} <= ${hot} then ${i} else (${i} - ${hot} - 1) / ${repos - 1} + 1 end`
  const placeOf = (i) => `case when ${i} <= ${hot} then 1 else 2 + (${i} - ${hot} - 1) % ${repos - 1} end`
  return [
    // Accounts.
    `insert into "user" (id, kind, name, lower_name, full_name, email, visibility, created_unix, updated_unix)
      select i + 1, 'individual', 'u' || (i + 1), 'u' || (i + 1), 'Person ' || i, 'u' || (i + 1) || '@example.com',
        case when i % 20 = 7 then 'limited' when i % 20 = 9 then 'private' else 'public' end, ${begin} + i, ${begin} + i
      from ${rows(users)}`,
    `insert into "user" (id, kind, name, lower_name, full_name, visibility, created_unix, updated_unix)
      select i + ${firstOrg - 1}, 'organization', 'org' || i, 'org' || i, 'Organization ' || i,
        case when i % 10 = 3 then 'limited' when i % 10 = 5 then 'private' else 'public' end, ${begin} + i, ${begin} + i
      from ${rows(orgs)}`,
    `insert into email (user_id, email, lower_email, is_activated, is_primary)
      select i + 1, 'u' || (i + 1) || '@example.com', 'u' || (i + 1) || '@example.com', i > 0, i > 0 from ${rows(users)}`,
    `insert into access_token (user_id, name, token_hash, token_last_eight, scopes, created_unix) values
      (1, 'scale', '${hashOf(askers.administrator)}', 'aaaaaaaa', 'all', ${begin}),
      (2, 'scale', '${hashOf(askers.person)}', 'bbbbbbbb', 'all', ${begin})`,
    `insert into access_token (user_id, name, token_hash, token_last_eight, scopes, created_unix)
      select 2, 'more' || i, 'no token ' || i, 'cccccccc', 'all', ${begin} + i from ${rows(Math.ceil(size.labels / 2))}`,
    ...inPieces(
      users - 1,
      (some) => `insert into follow (follower_id, user_id, created_unix)
      select i + 2, 2, ${begin} + i from ${some}`,
    ),
    ...inPieces(
      users - 1,
      (some) => `insert into follow (follower_id, user_id, created_unix)
      select 2, i + 2, ${begin} + i from ${some}`,
    ),
    `insert into user_block (blocker_id, blocked_id, created_unix)
      select 2, i + ${Math.floor(users / 2)}, ${begin} + i from ${rows(Math.floor(users / 4))}`,
    `insert into public_key (owner_id, title, fingerprint, content, created_unix)
      select case when i % 2 = 0 then 2 else ${user('i')} end, 'key ' || i, 'SHA256:' || i, 'ssh-ed25519 AAAA' || i, ${begin} + i
      from ${rows(size.labels)}`,

    // Organizations: every account is a member of the first and of two others.
    `insert into org_user (org_id, user_id, is_public) select ${firstOrg}, i + 1, i % 2 = 0 from ${rows(users)}`,
    `insert into org_user (org_id, user_id, is_public)
      select ${firstOrg + 1} + (i * 7 + i / ${users}) % ${orgs - 1}, ${user('i')}, i % 2 = 0
      from ${rows(users * 2)} where true on conflict do nothing`,
    `insert into team (org_id, name, lower_name, access_mode, includes_all_repositories, can_create_org_repo, created_unix)
      select ${firstOrg - 1} + i, 'Owners', 'owners', 4, i > 0, i > 0, ${begin} from ${rows(orgs)}`,
    `insert into team (org_id, name, lower_name, access_mode, includes_all_repositories, created_unix)
      select ${firstOrg - 1} + i, 'developers', 'developers', 2, i % 2 = 0, ${begin} from ${rows(orgs)}`,
    `insert into team (org_id, name, lower_name, access_mode, includes_all_repositories, created_unix)
      select ${firstOrg}, 'team ' || i, 'team ' || i, 1, i < 0, ${begin} from ${rows(size.labels)}`,
    `insert into team_unit (team_id, org_id, unit, access_mode)
      select team.id, team.org_id, u.unit, team.access_mode from team
      cross join (${units.map((unit) => `select '${unit}' as unit`).join(' union all ')}) as u`,
    `insert into team_user (team_id, org_id, user_id) select id, org_id, 1 from team where lower_name = 'owners'`,
    `insert into team_user (team_id, org_id, user_id)
      select team.id, team.org_id, org_user.user_id from team join org_user on org_user.org_id = team.org_id
      where team.lower_name = 'developers' and (team.org_id > ${firstOrg} or org_user.user_id % 20 = 2)`,
    `insert into team_user (team_id, org_id, user_id)
      select id, org_id, 2 from team where org_id = ${firstOrg} and lower_name like 'team %'`,

    // Repositories: a quarter belong to organizations, a tenth are private; u2 owns a share.
    ...inPieces(
      repos,
      (
        some,
      ) => `insert into repo (id, owner_id, name, lower_name, git_key, description, default_branch, is_private, is_empty, is_archived,
        is_template, is_mirror, is_fork, fork_id, num_stars, num_forks, git_size_bytes, lfs_size_bytes, created_unix, updated_unix)
      select i, case when i = 1 then ${firstOrg} when i % 4 = 0 then ${firstOrg} + (i / 4) % ${orgs}
          when i % 50 = 1 then 2 else ${user('i * 13')} end,
        case when i = 1 then 'hot' else 'repo' || i end, case when i = 1 then 'hot' else 'repo' || i end,
        'scale' || i, 'Holds word' || (i % 3000) || ' and is number ' || i, 'main',
        i > 1 and i % 10 = 5, i < 0, i % 100 = 17, i % 200 = 19, i % 150 = 21,
        i > 1 and i % 20 = 3, case when i > 1 and i % 20 = 3 then 1 end,
        (i * 7919) % 1000, (i * 104729) % 100, (i * 15485863) % 100000000, (i * 7919) % 1000000,
        ${begin} + i, ${begin} + (i * 7919) % ${repos * 10}
      from ${some}`,
    ),
    `insert into repo_unit (repo_id, unit, config)
      select repo.id, u.unit, case u.unit
        when 'issues' then '{"enable_time_tracker":true,"allow_only_contributors_to_track_time":true,"enable_issue_dependencies":true}'
        when 'pulls' then '{"ignore_whitespace_conflicts":false,"allow_merge_commits":true,"allow_rebase":true,"allow_rebase_explicit":true,"allow_squash_merge":true,"allow_fast_forward_only_merge":true,"allow_manual_merge":false,"autodetect_manual_merge":false,"allow_rebase_update":true,"default_delete_branch_after_merge":false,"default_merge_style":"merge","default_allow_maintainer_edit":false,"default_update_style":"merge"}'
        else '{}' end
      from repo cross join (${units.map((unit) => `select '${unit}' as unit`).join(' union all ')}) as u`,
    `insert into topic (name, created_unix, updated_unix) select 'topic' || i, ${begin}, ${begin} + i from ${rows(size.releases)}`,
    `insert into repo_topic (repo_id, topic_id) select i, 1 + i % ${size.releases} from ${rows(repos)}`,
    `insert into collaboration (repo_id, user_id, access_mode, created_unix)
      select 1, i + 1, 2, ${begin} + i from ${rows(Math.floor(users / 10))}`,
    `insert into collaboration (repo_id, user_id, access_mode, created_unix)
      select 1 + i, case when i % 100 = 5 then 2 else ${user('i * 31')} end, 2, ${begin} + i from ${rows(repos - 1)} where i % 5 = 0`,
    `insert into team_repo (team_id, org_id, repo_id)
      select team.id, team.org_id, repo.id from team join repo on repo.owner_id = team.org_id
      where team.lower_name = 'developers' and not team.includes_all_repositories and repo.id % 3 <> 0`,
    `insert into team_repo (team_id, org_id, repo_id)
      select team.id, team.org_id, 1 from team where org_id = ${firstOrg} and lower_name like 'team %'`,
    ...inPieces(
      Math.min(size.stars, users),
      (some) => `insert into star (repo_id, user_id, created_unix) select 1, i + 1, ${begin} + i from ${some}`,
    ),
    ...inPieces(
      Math.min(size.stars, repos - 1),
      (some) => `insert into star (repo_id, user_id, created_unix) select i + 1, 2, ${begin} + i from ${some}`,
    ),
    ...inPieces(
      Math.min(size.stars, users),
      (some) =>
        `insert into watch (repo_id, user_id, mode, created_unix) select 1, i + 1, 'normal', ${begin} + i from ${some}`,
    ),
    ...inPieces(
      Math.min(size.stars, repos - 1),
      (some) =>
        `insert into watch (repo_id, user_id, mode, created_unix) select i + 1, 2, 'auto', ${begin} + i from ${some}`,
    ),
    `insert into "release" (repo_id, tag_name, lower_tag_name, target, title, content, is_draft, is_prerelease, hides_archive_links, publisher_id, created_unix)
      select 1, 'v' || i, 'v' || i, 'main', 'Release ' || i, 'Notes with word' || (i % 3000), i % 100 = 7, i % 10 = 3, i < 0, 2, ${begin} + i
      from ${rows(size.releases)}`,
    `insert into tag (repo_id, name, oid, commit_oid, created_unix, made_unix)
      select 1, 'v' || i, ${oid('i')}, ${oid('i')}, ${begin} + i, ${begin} + i from ${rows(size.releases)}`,
    `insert into commit_status (repo_id, sha, "index", state, context, context_hash, creator_id, created_unix, updated_unix)
      select 1, ${oid('1')}, i, case i % 3 when 0 then 'success' when 1 then 'pending' else 'failure' end, 'ci/' || (i % 50), 'hash ' || (i % 50), 2,
        ${begin} + i, ${begin} + i from ${rows(size.statuses)}`,

    // Labels and milestones.
    `insert into label (repo_id, name, color, created_unix, updated_unix)
      select 1, 'label-' || i, 'aabbcc', ${begin}, ${begin} from ${rows(size.labels)}`,
    `insert into label (repo_id, name, color, created_unix, updated_unix)
      select 1 + i, 'label-1', 'aabbcc', ${begin}, ${begin} from ${rows(repos - 1)}`,
    `insert into label (org_id, name, color, created_unix, updated_unix)
      select ${firstOrg}, 'org label ' || i, 'aabbcc', ${begin}, ${begin} from ${rows(size.labels)}`,
    `insert into milestone (repo_id, title, is_closed, due_unix, created_unix, updated_unix)
      select 1, 'milestone-' || i, i % 3 = 0, case when i % 2 = 0 then ${begin} + (i * 7919) % 1000000 else 0 end, ${begin}, ${begin}
      from ${rows(size.milestones)}`,

    // Issues: a fifth are pull requests, a quarter are closed.
    ...inPieces(
      issues,
      (
        some,
      ) => `insert into issue (id, repo_id, "index", is_pull, poster_id, title, content, milestone_id, is_closed, num_comments, due_unix,
        created_unix, updated_unix, closed_unix)
      select i, ${placeOf('i')}, ${numbers('i')}, ${isPull('i')}, case when i % 100 = 3 then 2 else ${user('i * 17')} end,
        'Issue ' || i || ' with a common title and word' || ((i * 11) % 3000), ${text('i')},
        case when i <= ${hot} and i % 2 = 0 then 1 + i % ${size.milestones} end, ${isClosed('i')}, (i * 7919 / 20) % 20,
        case when i % 10 = 4 then ${begin} + (i * 7919) % 1000000 else 0 end,
        ${begin} + i, ${begin} + i + (i * 7919) % ${issues}, case when ${isClosed('i')} then ${begin} + i else 0 end
      from ${some}`,
    ),
    ...inPieces(
      hot,
      (some) => `insert into issue_label (issue_id, label_id) select i, 1 + i % ${size.labels} from ${some}`,
    ),
    ...inPieces(
      hot,
      (some) => `insert into issue_label (issue_id, label_id) select i, 1 + (i / 7 + 1) % ${size.labels} from ${some}
      where 1 + i % ${size.labels} <> 1 + (i / 7 + 1) % ${size.labels}`,
    ),
    ...inPieces(
      Math.floor(issues / 4),
      (some) => `insert into issue_assignee (issue_id, user_id)
      select i * 4, case when i % 5 = 0 then 2 else ${user('i * 3')} end from ${some}`,
    ),
    ...inPieces(
      Math.floor(issues / 10),
      (some) => `insert into issue_mention (issue_id, user_id)
      select i * 10, case when i % 3 = 0 then 2 else ${user('i * 3')} end from ${some}`,
    ),
    ...inPieces(
      issues,
      (
        _,
        isAmong,
      ) => `insert into pull (issue_id, repo_id, "index", base_branch, head_repo_id, head_branch, head_oid, synced_oid, merge_base, check_state)
      select id, repo_id, "index", 'main', repo_id, 'topic-' || "index", ${oid('id')}, ${oid('id')}, ${oid('1')}, 'mergeable'
      from issue where is_pull and ${isAmong('id')}`,
    ),
    ...inPieces(
      issues,
      (_, isAmong) => `insert into review (issue_id, type, reviewer_id, content, commit_oid, created_unix, updated_unix)
      select id, case when id % 10 = 0 then 'request' when id % 15 = 0 then 'approve' else 'comment' end,
        case when id % 25 = 0 then 2 else ${user('id * 3')} end, 'looked', ${oid('id')}, created_unix, created_unix
      from issue where is_pull and ${isAmong('id')}`,
    ),
    ...inPieces(
      comments,
      (some) => `insert into comment (issue_id, type, poster_id, content, created_unix, updated_unix)
      select case when i <= 40 then 1 else 1 + (i * 7919) % ${issues} end, 'comment',
        case when i % 100 = 3 then 2 else ${user('i * 5')} end, ${text('i')}, ${begin} + i, ${begin} + i + (i * 7919) % ${comments}
      from ${some}`,
    ),
    `insert into issue_relation (issue_id, other_id, kind, created_unix)
      select 1 + i, 1, 'parent', ${begin} + i from ${rows(Math.min(100, issues - 1))}`,
    `insert into issue_dependency (issue_id, dependency_id, user_id, created_unix)
      select 1, i + 1, 2, ${begin} + i from ${rows(Math.min(size.labels, hot - 2))}`,
    `insert into issue_dependency (issue_id, dependency_id, user_id, created_unix)
      select i + 1, 1, 2, ${begin} + i from ${rows(Math.min(size.labels, hot - 2))}`,
    ...inPieces(
      Math.min(size.stars, users),
      (some) => `insert into issue_watch (issue_id, user_id, is_watching, created_unix, updated_unix)
      select 1, i + 1, i > 0, ${begin}, ${begin} from ${some}`,
    ),
    ...inPieces(
      Math.min(size.stars, users),
      (some) => `insert into reaction (issue_id, user_id, content, created_unix)
      select 1, i + 1, 'heart', ${begin} + i from ${some}`,
    ),
    `insert into tracked_time (issue_id, user_id, seconds, created_unix)
      select 1 + (i * 31) % ${hot}, case when i % 2 = 0 then 2 else ${user('i * 3')} end, i % 1000, ${begin} + i from ${rows(size.times)}`,
    `insert into tracked_time (issue_id, user_id, seconds, created_unix)
      select 1, 2, i % 1000, ${begin} + i from ${rows(size.labels)}`,

    // Derived rows.
    ...inPieces(
      Math.min(size.notifications, issues),
      (
        some,
      ) => `insert into notification (user_id, repo_id, issue_id, subject, status, created_unix, updated_ms, reason)
      select 2, ${placeOf('i')}, i, case when ${isPull('i')} then 'pull' else 'issue' end, case i % 4 when 0 then 'unread' when 1 then 'pinned' else 'read' end,
        ${begin} + i, (${begin} + i) * 1000,
        case when i % 1000 = 0 then 'mentioned' when i % 5 = 0 then 'participating' else 'watching' end from ${some}`,
    ),
    `insert into activity (actor_id, repo_id, owner_id, kind, unit, issue_id, ref_name, content, created_unix, ordinal)
      select case when i % 10 = 3 then 2 else ${user('i * 17')} end, repo.id, repo.owner_id, 'create_issue', 'issues', i, '', '', ${begin} + i, 0
      from ${rows(Math.min(size.activities, issues))} join repo on repo.id = ${placeOf('i')}`,
    `insert into event (name, version, actor_id, owner_id, repo_id, issue_id, data, at_ms)
      select 'issue.opened', 1, 2, repo.owner_id, repo.id, i,
        '{"repoId":' || repo.id || ',"issueId":' || i || ',"doerId":2,"isPull":false}', (${begin} + i) * 1000
      from ${rows(Math.min(size.events, issues))} join repo on repo.id = ${placeOf('i')}`,
    `insert into package (owner_id, repo_id, type, name, lower_name, created_unix)
      select ${firstOrg}, case when i % 2 = 0 then 1 end, case i % 3 when 0 then 'generic' when 1 then 'npm' else 'maven' end,
        'package' || i, 'package' || i, ${begin} + i from ${rows(size.packages)}`,
    `insert into package_version (package_id, owner_id, type, version, lower_version, creator_id, download_count, created_unix)
      select id, owner_id, type, '1.0.0', '1.0.0', 2, 0, created_unix from package`,
    `insert into action_run (repo_id, number, title, workflow_id, workflow_name, event, happening, ref, head, commit_oid, base_ref, head_ref,
        doer_id, is_foreign, is_read_only, needs_approval, concurrency_group, is_held, status, problem, started_unix, stopped_unix,
        previous_seconds, created_unix, updated_unix)
      select 1, i, 'Run ' || i, 'ci.yml', 'ci', case i % 3 when 0 then 'push' else 'schedule' end, 'push', 'refs/heads/main', 'main', ${oid('i % 500')}, '', '',
        2, i < 0, i < 0, i < 0, '', i < 0, case i % 4 when 0 then 'failure' else 'success' end, '', ${begin} + i, ${begin} + i + 5, 0, ${begin} + i, ${begin} + i
      from ${rows(size.runs)}`,
    `insert into action_run_counter (repo_id, last_number, num_runs) values (1, ${size.runs}, ${size.runs})`,
    `insert into action_job (run_id, repo_id, position, job_key, name, needs, runs_on, payload, has_condition, status, attempt, queued_ms,
        started_unix, stopped_unix, created_unix, updated_unix)
      select id, repo_id, 0, 'build', 'build', '[]', '["linux"]', '', id < 0, status, 1, 0, started_unix, stopped_unix, created_unix, updated_unix
      from action_run`,
    `insert into action_task (job_id, run_id, repo_id, attempt, status, token_hash, started_unix, stopped_unix, created_unix, updated_unix,
        active_ms, log_lines, log_bytes, log_state, log_key)
      select id, run_id, repo_id, 1, status, 'no token ' || id, started_unix, stopped_unix, created_unix, updated_unix, 0, 0, 0, 'gone', ''
      from action_job`,
    `update action_job set task_id = action_task.id from action_task where action_task.job_id = action_job.id`,
    `insert into webhook (level, repo_id, owner_id, type, url, content_type, events, branch_filter, metadata, sealed_secret, sealed_authorization,
        is_active, created_unix, updated_unix)
      select 'repository', 1, null, 'forgejo', '${hookAddress}', 'json', '["push"]', '', 'null', '', '', i < 0, ${begin}, ${begin}
      from ${rows(40)}`,
    `insert into webhook_payload (data, created_ms) values ('{}', ${begin}000)`,
    `insert into webhook_delivery (hook_id, payload_id, uuid, event, event_type, state, created_ms, waits_from_ms)
      select 1, 1, 'uuid ' || i, 'push', 'push', case i % 2 when 0 then 'done' else 'failed' end, ${begin}000 + i, 0 from ${rows(size.deliveries)}`,

    // Kept counts.
    ...inPieces(
      repos,
      (
        _,
        isAmong,
      ) => `update repo set num_issues = c.issues, num_closed_issues = c.closed_issues, num_pulls = c.pulls, num_closed_pulls = c.closed_pulls,
        last_index = c.issues + c.pulls
      from (select repo_id, sum(case when is_pull then 0 else 1 end) as issues, sum(case when is_pull then 1 else 0 end) as pulls,
        sum(case when is_closed and not is_pull then 1 else 0 end) as closed_issues,
        sum(case when is_closed and is_pull then 1 else 0 end) as closed_pulls from issue where ${isAmong('repo_id')} group by repo_id) as c
      where c.repo_id = repo.id and ${isAmong('repo.id')}`,
    ),
    `update repo set num_stars = (select count(*) from star where star.repo_id = repo.id),
      num_watches = (select count(*) from watch where watch.repo_id = repo.id),
      num_forks = (select count(*) from repo as f where f.fork_id = repo.id),
      num_releases = (select count(*) from "release" where "release".repo_id = repo.id) where id = 1`,
    `update label set num_issues = c.total, num_closed_issues = c.closed
      from (select label_id, count(*) as total, sum(case when issue.is_closed then 1 else 0 end) as closed
        from issue_label join issue on issue.id = issue_label.issue_id group by label_id) as c where c.label_id = label.id`,
    `update milestone set num_issues = c.total, num_closed_issues = c.closed
      from (select milestone_id, count(*) as total, sum(case when is_closed then 1 else 0 end) as closed
        from issue where milestone_id is not null group by milestone_id) as c where c.milestone_id = milestone.id`,
    `update "user" set num_followers = ${users - 1}, num_following = ${users - 1},
      num_stars = (select count(*) from star where star.user_id = 2) where id = 2`,
    ...inPieces(
      users + orgs + 1,
      (_, isAmong) =>
        `update "user" set num_repos = c.total from (select owner_id, count(*) as total from repo where ${isAmong('owner_id')} group by owner_id) as c where c.owner_id = "user".id and ${isAmong('"user".id')}`,
    ),
  ]
}

/** Fills the SQLite file of a stopped server. */
export async function fillSqlite(path, { size, hookAddress, say }) {
  const { default: Sqlite } = await import('better-sqlite3')
  const db = new Sqlite(path)
  db.pragma('journal_mode = WAL')
  db.pragma('synchronous = OFF')
  db.pragma('foreign_keys = OFF')
  db.pragma('cache_size = -500000')
  const statements = fillStatements(size, 'sqlite', hookAddress)
  for (const [index, statement] of statements.entries()) {
    try {
      db.exec(statement)
    } catch (error) {
      throw new Error(`${error.message} in ${statement}`, { cause: error })
    }
    say(index + 1, statements.length)
  }
  db.pragma('wal_checkpoint(TRUNCATE)')
  db.close()
}

/** Interval between statistics updates of PostgreSQL during the fill: milliseconds, and a multiple of the last duration. */
const analyzeEvery = { ms: 3000, times: 10 }

/** Fills a PostgreSQL database that no server uses. */
export async function fillPostgres(url, { size, hookAddress, say }) {
  const { default: pg } = await import('pg')
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(`set session_replication_role = default`)
  const statements = fillStatements(size, 'postgres', hookAddress)
  let analyzeAtMs = performance.now() + analyzeEvery.ms
  for (const [index, statement] of statements.entries()) {
    try {
      // oxlint-disable-next-line no-await-in-loop -- each statement needs the rows of the previous ones
      await client.query(statement)
    } catch (error) {
      throw new Error(`${error.message} in ${statement}`, { cause: error })
    }
    // Triggers keep plans made for empty tables until statistics are updated.
    const nowMs = performance.now()
    if (nowMs > analyzeAtMs) {
      // oxlint-disable-next-line no-await-in-loop -- between two statements
      await client.query('analyze')
      const tookMs = performance.now() - nowMs
      analyzeAtMs = performance.now() + Math.max(analyzeEvery.ms, analyzeEvery.times * tookMs)
    }
    say(index + 1, statements.length)
  }
  for (const table of ['user', 'repo', 'issue']) {
    // oxlint-disable-next-line no-await-in-loop -- three statements
    await client.query(`select setval(pg_get_serial_sequence('"${table}"', 'id'), (select max(id) from "${table}"))`)
  }
  await client.query(`update event set position = id`)
  await client.query(`select setval('event_position', (select max(position) from event))`)
  await client.query('vacuum analyze')
  await client.end()
}
