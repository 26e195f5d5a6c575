import type { Ctx } from '../access/context.ts'
import type { ActKind, ActRow } from '../db/tables/activity.ts'
import type { UserRow } from '../db/tables/accounts.ts'
import type { RepoRow } from '../db/tables/repositories.ts'
import { loadReposWithOwners } from '../issues/repo-with-owner.store.ts'
import type { Unix } from '../lib/time.ts'
import { branchOf, tagOf } from '../lib/refs.ts'
import { excerpt } from './act.rules.ts'
import { loadSubjects } from './feed.store.ts'

/** A commit of a push. */
export interface PushedCommit {
  readonly sha: string
  /** First line of the message. */
  readonly title: string
}

/** An act with the rows that a page shows. */
export interface ActView {
  readonly id: number
  /** A push without commits that creates a branch is a kind of its own. */
  readonly kind: ActKind | 'create_branch'
  readonly actor: UserRow
  readonly repo: RepoRow
  readonly owner: UserRow
  readonly createdUnix: Unix
  readonly issue: { readonly index: number; readonly title: string; readonly isPull: boolean } | undefined
  readonly comment: { readonly id: number; readonly text: string } | undefined
  readonly release: { readonly tag: string; readonly title: string } | undefined
  /** Short name of the pushed branch or tag; empty for other kinds. */
  readonly refName: string
  readonly commits: readonly PushedCommit[]
  readonly commitCount: number
  /** The former name of a renamed or moved repository. */
  readonly formerName: string
}

/** The stored content of a push, as far as pages show it. */
interface PushContent {
  readonly Commits: readonly { readonly Sha1: string; readonly Message: string }[] | null
  readonly Len?: number
}

const firstLine = (text: string): string => excerpt(text.trimStart().split('\n', 1)[0] ?? '')

function pushOf({ kind, content }: ActRow): Pick<ActView, 'commits' | 'commitCount'> {
  if ((kind !== 'commit_repo' && kind !== 'push_tag') || content === '') return { commits: [], commitCount: 0 }
  const { Commits, Len } = JSON.parse(content) as PushContent
  const commits = (Commits ?? []).map(({ Sha1, Message }) => ({ sha: Sha1, title: firstLine(Message) }))
  return { commits, commitCount: Math.max(Len ?? 0, commits.length) }
}

/** Returns acts in the given order with the rows that pages show, in a fixed number of queries. */
export async function viewActs({ db }: Pick<Ctx, 'db'>, acts: readonly ActRow[]): Promise<ActView[]> {
  const [repos, subjects] = await Promise.all([
    loadReposWithOwners(db, new Set(acts.map((act) => act.repo_id))),
    loadSubjects(db, acts),
  ])
  return acts.flatMap((act) => {
    const [repo, named] = [repos.get(act.repo_id), subjects.of(act)]
    if (!repo || !named) return []
    const { actor, issue, comment, release } = named
    const isNewBranch = act.kind === 'commit_repo' && act.content === ''
    return [
      {
        id: act.id,
        kind: isNewBranch ? 'create_branch' : act.kind,
        actor,
        ...repo,
        createdUnix: act.created_unix,
        issue: issue && { index: issue.index, title: issue.title, isPull: issue.is_pull },
        comment: comment && { id: comment.id, text: excerpt(comment.content) },
        release: release && { tag: release.tag_name, title: release.title },
        refName: branchOf(act.ref_name) ?? tagOf(act.ref_name) ?? act.ref_name,
        ...pushOf(act),
        formerName: act.kind === 'rename_repo' || act.kind === 'transfer_repo' ? act.content : '',
      } satisfies ActView,
    ]
  })
}
