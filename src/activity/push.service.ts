import type { Services } from '../access/context.ts'
import { formatCommitTime } from '../code/commits/commit-time.ts'
import { shortCommit } from '../code/commits/message.rules.ts'
import { transaction, type Tx } from '../db/database.ts'
import type { Event } from '../events/catalogue.ts'
import type { Commit } from '../git/git.ts'
import type { GitKey } from '../git/git-key.ts'
import { loadReposWithOwners } from '../issues/repo-with-owner.store.ts'
import { NotFound } from '../lib/errors.ts'
import type { EventId } from '../lib/ids.ts'
import { branchOf, branchRef, isZeroOid, tagOf } from '../lib/refs.ts'
import { insertActs, type NewAct } from './act.store.ts'

/** Largest number of references of one push that become acts. */
const maxRefs = 100

/** Largest number of stored characters of a commit message. */
const maxMessage = 2000

type Push = Event<'refs.updated'>
type RefUpdate = Push['data']['updates'][number]

interface PushedRepo {
  readonly git: Services['git']
  readonly key: GitKey
  readonly fullName: string
  readonly defaultBranch: string
  /** Largest number of stored commits of one push. */
  readonly maxCommits: number
}

/**
 * Inserts acts for the branches and tags of a push, still without commits. Runs in the transaction of the push.
 * `recordPush` adds the commits.
 */
export async function recordRefs(tx: Tx, { data, atMs }: Push, eventId: EventId): Promise<void> {
  const acts = updatesWithActs(data).flatMap((update) => actsOf(update, withoutCommits(update)))
  await insertActs(tx, { ...data, atUnix: Math.floor(atMs / 1000), eventId }, acts)
}

/** Adds the newest commits to the acts of a push. Inserts the acts when the transaction of the push did not. */
export async function recordPush(
  { db, git, config }: Services,
  { data, atMs }: Push,
  { eventId, signal }: { readonly eventId: EventId | undefined; readonly signal: AbortSignal },
): Promise<void> {
  const { repoId } = data
  const updates = updatesWithActs(data)
  if (updates.length === 0) return
  const found = (await loadReposWithOwners(db, [repoId])).get(repoId)
  if (!found) return
  const { repo, owner } = found
  const pushed = {
    git,
    key: repo.git_key,
    fullName: `${owner.name}/${repo.name}`,
    defaultBranch: repo.default_branch,
    maxCommits: config.ui.feedMaxCommitNum,
  }
  const acts: NewAct[] = []
  for (const update of updates) {
    signal.throwIfAborted()
    acts.push(...actsOf(update, isZeroOid(update.new) ? '' : await contentOf(pushed, update)))
  }
  await transaction(db, (tx) => insertActs(tx, { ...data, atUnix: Math.floor(atMs / 1000), eventId }, acts))
}

/** Returns the updates that become acts. Updates of mirrors and of the instance itself are none. */
function updatesWithActs({ kind, origin, updates }: Push['data']): readonly RefUpdate[] {
  if (kind !== 'code' || origin === 'mirror' || origin === 'internal') return []
  return updates.filter(({ ref }) => branchOf(ref) !== undefined || tagOf(ref) !== undefined).slice(0, maxRefs)
}

/** A new branch is two acts: its creation and a push (observed). */
function actsOf(update: RefUpdate, content: string): NewAct[] {
  const at = { unit: 'code', refName: update.ref } as const
  const isBranch = branchOf(update.ref) !== undefined
  if (isZeroOid(update.new)) return [{ kind: isBranch ? 'delete_branch' : 'delete_tag', ...at }]
  const act = { kind: isBranch ? 'commit_repo' : 'push_tag', ...at, content } as const
  return isBranch && isZeroOid(update.old) ? [{ kind: 'commit_repo', ...at }, act] : [act]
}

/** Returns the commits of a push in the form that clients read; none when git no longer has them. */
async function contentOf(repo: PushedRepo, update: RefUpdate): Promise<string> {
  try {
    return JSON.stringify(await readPush(repo, update))
  } catch (error) {
    if (!(error instanceof NotFound)) throw error
    return withoutCommits(update)
  }
}

const withoutCommits = ({ ref }: RefUpdate): string =>
  JSON.stringify({ Commits: branchOf(ref) === undefined ? null : [], HeadCommit: null, CompareURL: '', Len: 0 })

async function readPush(repo: PushedRepo, update: RefUpdate): Promise<object> {
  const { git, key, fullName, maxCommits } = repo
  const isBranch = branchOf(update.ref) !== undefined
  const head = (await git.resolve(key, update.new))?.commit
  const isNew = isZeroOid(update.old)
  const base = isNew && isBranch ? await git.readRef(key, branchRef(repo.defaultBranch)) : undefined
  const not = isNew ? base : update.old
  const range = head && { from: [head], ...(not === undefined ? {} : { not: [not] }) }
  const commits = isBranch && range ? await git.log(key, { ...range, limit: maxCommits }) : []
  const isWhole = commits.length < maxCommits
  const [headCommit] = head === undefined ? [] : await git.readCommits(key, [head])
  return {
    Commits: isBranch ? commits.map(presentCommit) : null,
    HeadCommit: headCommit ? presentCommit(headCommit) : null,
    CompareURL: `${fullName}/compare/${base === undefined ? update.old : repo.defaultBranch}...${update.new}`,
    Len: isBranch && range && !isWhole ? await git.countCommits(key, range) : commits.length,
  }
}

function presentCommit(commit: Commit): object {
  const { author, committer } = shortCommit(commit)
  return {
    Sha1: commit.oid,
    Message: commit.message.slice(0, maxMessage),
    AuthorEmail: author.email,
    AuthorName: author.name,
    CommitterEmail: committer.email,
    CommitterName: committer.name,
    Signature: null,
    Verification: null,
    Timestamp: formatCommitTime(author),
  }
}
