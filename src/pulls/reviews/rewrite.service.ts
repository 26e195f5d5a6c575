import type { RepoCtx } from '../../access/context.ts'
import type { RewrittenCommit } from '../../git/git.ts'
import type { Oid } from '../../lib/ids.ts'

/** Most commits of each version of a branch that are compared. */
const maxCommits = 100

/** How the commits of a branch were rewritten. */
export interface Rewrite {
  readonly commits: readonly RewrittenCommit[]
  /** Some commits were not compared. */
  readonly isBounded: boolean
}

/**
 * Compares the commits of a rewritten branch with those that were reviewed.
 * @param base a commit that both versions contain
 * @returns undefined when commits were only added
 */
export async function getRewrite(
  { git, repo }: Pick<RepoCtx, 'git' | 'repo'>,
  base: Oid,
  reviewed: Oid,
  head: Oid,
): Promise<Rewrite | undefined> {
  const key = repo.git_key
  if (await git.isAncestor(key, reviewed, head)) return undefined
  const countOf = (from: Oid) => git.countCommits(key, { from: [from], not: [base] })
  const [before, now] = await Promise.all([countOf(reviewed), countOf(head)])
  if (before > maxCommits || now > maxCommits) return { commits: [], isBounded: true }
  const { commits, isWhole } = await git.rangeDiff(key, { base, oldHead: reviewed, newHead: head })
  return { commits, isBounded: !isWhole }
}
