import type { Ctx } from '../access/context.ts'
import { loadCommitAuthors, type CommitAuthors } from '../code/commits/commit-authors.ts'
import { formatCommitTime } from '../code/commits/commit-time.ts'
import type { Commit, FileChange, Identity } from '../git/git.ts'
import type { GitKey } from '../git/git-key.ts'
import { NotFound } from '../lib/errors.ts'
import type { Oid } from '../lib/ids.ts'
import { branchOf, isZeroOid } from '../lib/refs.ts'
import type { PendingPush } from './event-payload.ts'

/** Most commits in the push of a new branch, which has no old commit to start from (contract, webhooks: push). */
const commitsOfNewBranch = 10

/** Most paths of changed files in a payload, and their bytes. The lists of later commits end or are empty. */
const maxPaths = 3000
const maxPathBytes = 1 << 20

type CompleteCtx = Pick<Ctx, 'config' | 'db' | 'git' | 'log'>

/**
 * Returns the payload with the commits that git reports. When the repository was deleted or the commits were collected, the
 * payload keeps the old and new commit ids and has no commits.
 */
export async function completePayloadOf(ctx: CompleteCtx, data: string, pending: string): Promise<string> {
  const push = JSON.parse(pending) as PendingPush
  const payload = JSON.parse(data) as object
  try {
    return JSON.stringify({ ...payload, ...(await readPush(ctx, push)) })
  } catch (error) {
    if (!(error instanceof NotFound)) throw error
    ctx.log('info', 'the commits of a push are gone; its payload has none', { repoId: push.repoId, error })
    return JSON.stringify({ ...payload, compare_url: compareUrl(push, push.old, push.new) })
  }
}

const compareUrl = ({ webUrl }: PendingPush, from: string, to: string): string => `${webUrl}/compare/${from}...${to}`

async function readPush(ctx: CompleteCtx, push: PendingPush): Promise<object> {
  const key = push.gitKey as GitKey
  const at = compareUrl(push, push.old, push.new)
  if (isZeroOid(push.new)) return { compare_url: at, commits: [], total_commits: 0, head_commit: null }
  const head = (await ctx.git.resolve(key, push.new))?.commit
  if (head === undefined) throw new NotFound('the pushed object is gone')
  const isBranch = branchOf(push.ref) !== undefined
  const isNew = isZeroOid(push.old)
  const commits = !isBranch ? [] : await pushedCommits(ctx, key, push, head)
  const [first] = commits
  const shown = await presentPushed(
    ctx,
    push,
    first?.oid === head ? commits : [...commits, ...(await headOnly(ctx, key, head))],
  )
  const oldest = commits.at(-1)
  return {
    compare_url: isBranch && isNew ? compareUrl(push, oldest?.parents[0] ?? push.defaultBranch, push.new) : at,
    commits: shown.slice(0, Math.min(commits.length, ctx.config.webhook.payloadCommitLimit)),
    total_commits: isNew ? commits.length : await countPushed(ctx, key, push, head, commits.length),
    head_commit: shown.find(({ id }) => id === head) ?? null,
  }
}

const headOnly = (ctx: CompleteCtx, key: GitKey, head: Oid) => ctx.git.readCommits(key, [head])

const pushedCommits = ({ git, config }: CompleteCtx, key: GitKey, push: PendingPush, head: Oid) =>
  isZeroOid(push.old)
    ? git.log(key, {
        from: [head],
        ...(push.base === undefined ? {} : { not: [push.base as Oid] }),
        limit: commitsOfNewBranch,
      })
    : git.log(key, { from: [head], not: [push.old as Oid], limit: config.webhook.payloadCommitLimit })

/** Counts all pushed commits when `read` reached the limit. */
const countPushed = async (
  ctx: CompleteCtx,
  key: GitKey,
  push: PendingPush,
  head: Oid,
  read: number,
): Promise<number> =>
  read < ctx.config.webhook.payloadCommitLimit
    ? read
    : ctx.git.countCommits(key, { from: [head], not: [push.old as Oid] })

const presentPerson = (authors: CommitAuthors, { name, email }: Identity) => ({
  name,
  email,
  username: authors.of(email)?.name ?? '',
})

async function presentPushed(ctx: CompleteCtx, push: PendingPush, commits: readonly Commit[]) {
  const [authors, changes] = await Promise.all([
    loadCommitAuthors(
      ctx,
      commits.flatMap(({ author, committer }) => [author.email, committer.email]),
    ),
    ctx.git.commitChanges(
      push.gitKey as GitKey,
      commits.map(({ oid }) => oid),
      { renames: false, counts: false },
    ),
  ])
  const hasRoom = pathRoom()
  return commits.map((commit) => ({
    id: commit.oid,
    message: commit.message,
    url: `${push.webUrl}/commit/${commit.oid}`,
    author: presentPerson(authors, commit.author),
    committer: presentPerson(authors, commit.committer),
    verification: null,
    timestamp: formatCommitTime(commit.author),
    ...filesOf((changes.get(commit.oid) ?? []).filter(({ path }) => hasRoom(path))),
  }))
}

/** Returns whether a payload has room for a further path. */
function pathRoom(): (path: string) => boolean {
  let [paths, sizeBytes] = [0, 0]
  return (path) => {
    if (paths >= maxPaths || sizeBytes >= maxPathBytes) return false
    paths += 1
    sizeBytes += Buffer.byteLength(path)
    return true
  }
}

function filesOf(changes: readonly FileChange[]) {
  const paths = (is: (status: FileChange['status']) => boolean): string[] =>
    changes.filter(({ status }) => is(status)).map(({ path }) => path)
  return {
    added: paths((status) => status === 'added'),
    removed: paths((status) => status === 'deleted'),
    modified: paths((status) => status !== 'added' && status !== 'deleted'),
  }
}
