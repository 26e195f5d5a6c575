import type { Config } from '../../config/load-config.ts'
import type { ActionRunRow } from '../../db/tables/actions.ts'
import type { RepoRow } from '../../db/tables/repositories.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import { branchOf, branchRef, tagOf } from '../../lib/refs.ts'
import { repoWebUrl } from '../../repos/repo-url.ts'
import type { Plain } from '../workflows/plain-yaml.ts'

/** Members of the `github` context that the server leaves empty. */
const emptyMembers = [
  'action',
  'action_path',
  'action_ref',
  'action_repository',
  'action_status',
  'env',
  'event_path',
  'graphql_url',
  'path',
  'retention_days',
  'workspace',
]

export type GithubContext = Readonly<Record<string, Plain>>

/** What the `github` context of a run describes. */
export interface GithubSubject {
  readonly run: Pick<
    ActionRunRow,
    'id' | 'number' | 'event' | 'ref' | 'base_ref' | 'head_ref' | 'commit_oid' | 'workflow_id'
  >
  readonly repo: RepoRow
  readonly owner: UserRow
  readonly actor: UserRow | undefined
  readonly event: GithubContext
  readonly attempt: number
}

/** Returns the `github` context of a run, for its planning and for its jobs. It lacks the name of the job and its tokens. */
export function githubContextOf(config: Config, subject: GithubSubject): GithubContext {
  const { run, repo, owner, actor, event, attempt } = subject
  // A `pull_request_target` run uses the base branch.
  const isOfBase = run.event === 'pull_request_target'
  const ref = isOfBase ? branchRef(run.base_ref) : run.ref
  const branch = branchOf(ref)
  const tag = tagOf(ref)
  const actorName = actor?.name ?? 'Ghost'
  return {
    ...Object.fromEntries(emptyMembers.map((name) => [name, ''])),
    actor: actorName,
    api_url: `${config.server.rootUrl}api/v1`,
    base_ref: run.base_ref,
    event,
    event_name: run.event,
    head_ref: run.head_ref,
    ref,
    ref_name: branch ?? tag ?? /^refs\/pull\/(\d+)\/head$/.exec(ref)?.[1] ?? ref,
    ref_protected: false,
    ref_type: branch === undefined ? (tag === undefined ? '' : 'tag') : 'branch',
    repository: `${owner.name}/${repo.name}`,
    repository_owner: owner.name,
    repositoryUrl: repoWebUrl({ config, owner, repo }),
    run_attempt: String(attempt),
    run_id: String(run.id),
    run_number: String(run.number),
    secret_source: 'Actions',
    server_url: config.server.rootUrl,
    sha: isOfBase ? (baseOf(event) ?? run.commit_oid) : run.commit_oid,
    triggering_actor: actorName,
    workflow: run.workflow_id,
  }
}

/** Returns the base commit of the pull request in the event payload. */
function baseOf(event: GithubContext): string | undefined {
  const { pull_request: pull } = event as { pull_request?: { base?: { sha?: unknown } } }
  return typeof pull?.base?.sha === 'string' ? pull.base.sha : undefined
}
