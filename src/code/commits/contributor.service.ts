import type { RepoCtx } from '../../access/context.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import type { Commit } from '../../git/git.ts'
import type { Oid } from '../../lib/ids.ts'
import { nowUnix, type Unix } from '../../lib/time.ts'
import { loadCommitAuthors } from './commit-authors.ts'

/** Newest commits that are counted; older ones are left out. */
const maxCountedCommits = 2000
/** Commits whose messages are in memory at once. */
const readAtOnce = 100

type Authored = Pick<Commit, 'author'>

export interface Contributor {
  readonly name: string
  readonly email: string
  readonly account: UserRow | undefined
  readonly commits: number
  /** Commits by step of the time span. */
  readonly steps: readonly number[]
}

/** The authors of a history without merges, most commits first. */
export interface Contributions {
  readonly contributors: readonly Contributor[]
  readonly commits: number
  /** Whether older commits than the `commits` newest were left out. */
  readonly isCut: boolean
  readonly fromUnix: Unix
  readonly toUnix: Unix
  /** Commits of all by step of the time span. */
  readonly steps: readonly number[]
}

/** Steps into which the time span is divided. */
const stepCount = 52

/** Counts the commits of a history by author. */
export async function getContributions(
  ctx: RepoCtx,
  commit: Oid,
  sinceUnix?: Unix,
): Promise<Contributions | undefined> {
  const { git, repo } = ctx
  const oids = await git.logOids(repo.git_key, {
    from: [commit],
    noMerges: true,
    limit: maxCountedCommits,
    ...(sinceUnix === undefined ? {} : { sinceUnix }),
  })
  const all: Authored[] = []
  for (let start = 0; start < oids.length; start += readAtOnce) {
    // Messages and signatures are not kept: they take much more memory than the authors.
    const read = await git.readCommits(repo.git_key, oids.slice(start, start + readAtOnce))
    all.push(...read.map(({ author }) => ({ author })))
  }
  if (all.length === 0) return undefined
  const times = all.map(timeOf)
  const span = {
    fromUnix: sinceUnix ?? Math.min(...times),
    toUnix: sinceUnix === undefined ? Math.max(...times) : nowUnix(ctx.clock),
  }
  const accounts = await loadCommitAuthors(
    ctx,
    all.map(({ author }) => author.email),
  )
  const groups = Map.groupBy(all, ({ author }) => accounts.of(author.email)?.name ?? author.email.toLowerCase())
  const contributors = [...groups.values()].flatMap((commits): Contributor[] => {
    const [newest] = commits
    if (!newest) return []
    const { name, email } = newest.author
    return [{ name, email, account: accounts.of(email), commits: commits.length, steps: stepsOf(commits, span) }]
  })
  return {
    contributors: contributors.toSorted((one, other) => other.commits - one.commits),
    commits: all.length,
    isCut: all.length === maxCountedCommits,
    ...span,
    steps: stepsOf(all, span),
  }
}

const timeOf = ({ author }: Authored): Unix => author.unixSeconds

function stepsOf(
  commits: readonly Authored[],
  { fromUnix, toUnix }: { readonly fromUnix: Unix; readonly toUnix: Unix },
): readonly number[] {
  const steps = Array.from({ length: stepCount }, () => 0)
  const length = Math.max(1, toUnix - fromUnix + 1) / stepCount
  for (const commit of commits) {
    const step = Math.min(stepCount - 1, Math.max(0, Math.floor((timeOf(commit) - fromUnix) / length)))
    steps[step] = (steps[step] ?? 0) + 1
  }
  return steps
}
