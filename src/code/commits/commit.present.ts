import type { RepoCtx } from '../../access/context.ts'
import type { Commit as GitCommit, FileChange, Identity, ReadFrom } from '../../git/git.ts'
import type { EncodedBody } from '../../lib/encoded-body.ts'
import type { Oid } from '../../lib/ids.ts'
import { zeroTime } from '../../lib/time.ts'
import type { WorkBudget } from '../../lib/work-budget.ts'
import { presentUser } from '../../users/user.present.ts'
import type { User } from '../../users/user.schemas.ts'
import { loadCommitAuthors, type CommitAuthors } from './commit-authors.ts'
import type {
  Commit,
  CommitAffectedFiles,
  CommitMeta,
  CommitStats,
  CommitUser,
  Compare,
  PayloadCommit,
  PayloadUser,
} from './commit.schemas.ts'
import { withinOutput } from './message.rules.ts'
import type { Comparison } from './compare.service.ts'
import { formatCommitTime } from './commit-time.ts'
import { listJson } from '../../lib/list-json.ts'
import { repoApiUrl, repoWebUrl } from '../../repos/repo-url.ts'
import { keptAnswer } from '../kept-answers.ts'
import { presentVerification } from './verification.present.ts'
import { type Verification, verifySignatures } from '../../refs/signing/verification.ts'

/** The expensive parts of a commit to show; others are null. */
export interface CommitParts {
  /** `zero` shows all numbers as 0, as in comparisons and notes (observed). */
  readonly stats: boolean | 'zero'
  readonly verification: boolean
  readonly files: boolean
}

type CommitContext = Pick<RepoCtx, 'budget' | 'caches' | 'config' | 'db' | 'git' | 'owner' | 'repo'>

export const presentIdentity = (identity: Identity): CommitUser => ({
  name: identity.name,
  email: identity.email,
  date: formatCommitTime(identity),
})

/** A commit by id, without its content. */
export const presentCommitMeta = (
  context: Omit<CommitContext, 'budget'>,
  oid: Oid,
  created: string = zeroTime,
): CommitMeta => ({
  url: `${repoApiUrl(context)}/git/commits/${oid}`,
  sha: oid,
  created,
})

const affectedStatus = { added: 'added', deleted: 'removed' } as const

/** Bytes of the entry of a file without its path. */
const fileEntryBytes = 40

/**
 * Returns one entry per path. Renames are not detected, so a rename is a removal and an addition.
 * @throws WorkTooCostly for more than an answer holds; a reader then leaves out `files`
 */
function presentAffectedFiles(budget: WorkBudget, changes: readonly FileChange[]): CommitAffectedFiles[] {
  budget.take(
    'outputBytes',
    changes.reduce((sum, { path }) => sum + fileEntryBytes + Buffer.byteLength(path), 0),
  )
  return changes.map(({ path, status }) => ({
    filename: path,
    status: status === 'added' || status === 'deleted' ? affectedStatus[status] : 'modified',
  }))
}

/** Changed lines of a commit; none for merges (observed). */
function presentStats(commit: GitCommit, changes: readonly FileChange[]): CommitStats {
  const counted = commit.parents.length > 1 ? [] : changes
  const additions = counted.reduce((sum, change) => sum + change.additions, 0)
  const deletions = counted.reduce((sum, change) => sum + change.deletions, 0)
  return { total: additions + deletions, additions, deletions }
}

/** Values from rows, which may change and are read on each request. */
interface CommitRows {
  /** Accounts by address, as shown to guests (observed); null for unknown addresses. */
  readonly accounts: ReadonlyMap<string, User | null>
  /** In the order of the commits; empty when verification is not shown. */
  readonly verdicts: readonly Verification[]
}

async function loadCommitRows(
  context: CommitContext,
  commits: readonly GitCommit[],
  parts: CommitParts,
): Promise<CommitRows> {
  const emails = new Set(commits.flatMap(({ author, committer }) => [author.email, committer.email]))
  const [authors, verdicts] = await Promise.all([
    loadCommitAuthors(context, emails),
    parts.verification ? verifySignatures(context, commits) : [],
  ])
  const accounts = new Map<string, User | null>()
  for (const email of emails) {
    const user = authors.of(email)
    accounts.set(email, user ? presentUser({ config: context.config }, user) : null)
  }
  return { accounts, verdicts }
}

/**
 * Presents commits of one repository, with one lookup each of accounts, signatures and changes.
 * @param at where to read, when not only in the repository
 */
async function presentCommits(
  context: CommitContext,
  commits: readonly GitCommit[],
  parts: CommitParts,
  { accounts, verdicts }: CommitRows,
  at: ReadFrom = context.repo.git_key,
): Promise<Commit[]> {
  if (commits.length === 0) return []
  const needsChanges = parts.files || parts.stats === true
  const changes = needsChanges
    ? await context.git.commitChanges(
        at,
        commits.map(({ oid }) => oid),
        { renames: false, counts: parts.stats === true },
      )
    : new Map<Oid, readonly FileChange[]>()
  const api = repoApiUrl(context)
  const web = repoWebUrl(context)
  return commits.map((commit, index) => {
    const { oid } = commit
    const url = `${api}/git/commits/${oid}`
    const created = formatCommitTime(commit.committer)
    const changed = changes.get(oid) ?? []
    return {
      url,
      sha: oid,
      created,
      html_url: `${web}/commit/${oid}`,
      commit: {
        url,
        author: presentIdentity(commit.author),
        committer: presentIdentity(commit.committer),
        message: commit.message,
        // The tree is named by the commit's id: a quirk of the contract (git.md).
        tree: { url: `${api}/git/trees/${oid}`, sha: oid, created },
        verification: parts.verification ? presentVerification(commit, verdicts[index] ?? unsigned) : null,
      },
      author: accounts.get(commit.author.email) ?? null,
      committer: accounts.get(commit.committer.email) ?? null,
      parents: commit.parents.map((parent) => presentCommitMeta(context, parent)),
      files: parts.files ? presentAffectedFiles(context.budget, changed) : null,
      stats:
        parts.stats === 'zero'
          ? { total: 0, additions: 0, deletions: 0 }
          : parts.stats
            ? presentStats(commit, changed)
            : null,
    }
  })
}

/** An answer that contains commits. */
interface CommitsIn<Body> {
  /** Identifies the kind of answer and its other values. */
  readonly name: readonly unknown[]
  readonly body: (presented: Commit[]) => Body
}

/**
 * Presents an answer with commits of one repository. Rows are read on each request; the encoded answer is cached under
 * them and the commits.
 * @param at where to read, when not only in the repository
 */
async function presentCommitsIn<Body extends object>(
  context: CommitContext,
  listed: readonly GitCommit[],
  parts: CommitParts,
  { name, body }: CommitsIn<Body>,
  at: ReadFrom = context.repo.git_key,
): Promise<EncodedBody<Body>> {
  // The signatures are judged before one is left out.
  const around = await loadCommitRows(context, listed, parts)
  const commits = withinOutput(context.budget, listed)
  const { repo } = context
  const rows = [[...around.accounts].filter(([, user]) => user), around.verdicts.map(shortVerdict)]
  const oids = commits.map(({ oid }) => oid)
  const cut = commits.flatMap((commit, index) => (commit === listed[index] ? [] : [index]))
  const madeOf = [name, repo.git_key, at, repoApiUrl(context), repoWebUrl(context), parts, oids, rows, cut]
  return keptAnswer(
    context,
    madeOf,
    async () => body(await presentCommits(context, commits, parts, around, at)),
    listJson,
  )
}

const unsigned: Verification = { kind: 'unsigned' }

/** A short form for the cache key: most commits are unsigned. */
const shortVerdict = (verdict: Verification) => (verdict.kind === 'unsigned' ? 0 : verdict)

/** Presents a list of commits of one repository. */
export const presentCommitList = (
  context: CommitContext,
  commits: readonly GitCommit[],
  parts: CommitParts,
): Promise<EncodedBody<Commit[]>> =>
  presentCommitsIn(context, commits, parts, { name: ['list'], body: (presented) => presented })

export async function presentCommit(context: CommitContext, commit: GitCommit, parts: CommitParts): Promise<Commit> {
  const around = await loadCommitRows(context, [commit], parts)
  const [presented] = await presentCommits(context, [commit], parts, around)
  return presented as Commit
}

const presentPayloadUser = (authors: CommitAuthors, { name, email }: Identity): PayloadUser => ({
  name,
  email,
  username: authors.of(email)?.name ?? '',
})

/** Presents commits as in webhooks, which branches use as well. `timestamp` is the author's time. */
export async function presentPayloadCommits(
  context: CommitContext,
  commits: readonly GitCommit[],
): Promise<PayloadCommit[]> {
  if (commits.length === 0) return []
  const [authors, verdicts] = await Promise.all([
    loadCommitAuthors(
      context,
      commits.flatMap(({ author, committer }) => [author.email, committer.email]),
    ),
    verifySignatures(context, commits),
  ])
  const web = repoWebUrl(context)
  return withinOutput(context.budget, commits).map((commit, index) => ({
    id: commit.oid,
    message: commit.message,
    url: `${web}/commit/${commit.oid}`,
    author: presentPayloadUser(authors, commit.author),
    committer: presentPayloadUser(authors, commit.committer),
    verification: presentVerification(commit, verdicts[index] ?? unsigned),
    timestamp: formatCommitTime(commit.author),
    added: null,
    removed: null,
    modified: null,
  }))
}

/** Presents the commits between two revisions. Lines are not counted, as on the reference (`docs/differences.md`). */
export function presentComparison(
  context: CommitContext,
  { commits, total, at }: Comparison,
  parts: Omit<CommitParts, 'stats'>,
): Promise<EncodedBody<Compare>> {
  const answer = {
    name: ['comparison', total],
    body: (presented: Commit[]): Compare => ({
      total_commits: total,
      commits: presented,
      files: presented.flatMap(({ files }) => files ?? []),
    }),
  }
  return presentCommitsIn(context, commits, { ...parts, stats: 'zero' }, answer, at)
}
