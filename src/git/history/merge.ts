import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Invalid } from '../../lib/errors.ts'
import type { Oid } from '../../lib/ids.ts'
import { utf8OfLatin1 } from '../../lib/latin1.ts'
import { mustSucceed } from '../broker/broker-client.ts'
import { checkOids, explainMissing, type GitContext, locate } from '../context.ts'
import type { GitKey } from '../git-key.ts'
import type { Commit, Identity, MergeTreeResult, RebaseRequest, RebaseResult } from '../git.ts'
import { decodeName } from '../objects/object-codec.ts'
import { writeCommit } from '../objects/object-writer.ts'
import { emptyTreeOid, readCommit, readCommits } from '../objects/object-reader.ts'

/** Limit of commits in one rebase. */
const maxReplayedCommits = 1000
/** Identity of commits that only carry a merge base. It is constant, so that equal merges write equal objects. */
const nobody: Identity = { name: 'git', email: 'git@localhost', unixSeconds: 0, offsetMinutes: 0 }

/**
 * Merges two commits without a work tree (`git merge-tree --write-tree`). git 2.39 has no `--merge-base`: a given base
 * becomes the parent of two temporary commits with the trees of both sides.
 */
export async function mergeTree(
  context: GitContext,
  key: GitKey,
  merge: {
    base?: Oid
    ours: Oid
    theirs: Oid
    keep?: boolean
  },
): Promise<MergeTreeResult> {
  checkOids(merge.base, merge.ours, merge.theirs)
  const { base } = merge
  const [ours, theirs] = await readCommits(context, key, [merge.ours, merge.theirs])
  if (base === undefined) return runMergeTree(context, key, ours!.oid, theirs!.oid, merge.keep !== false)
  const onBase = async (commit: Commit): Promise<Oid> =>
    (
      await writeCommit(context, key, {
        parents: [base],
        tree: commit.tree,
        author: nobody,
        committer: nobody,
        message: 'merge base\n',
      })
    ).oid
  return runMergeTree(context, key, await onBase(ours!), await onBase(theirs!), merge.keep !== false)
}

async function runMergeTree(
  context: GitContext,
  key: GitKey,
  ours: Oid,
  theirs: Oid,
  keep: boolean,
): Promise<MergeTreeResult> {
  const { directory } = locate(context, key)
  const objects = join(directory, 'objects')
  // git's own maintenance removes folders with this name after a crash.
  const temporary = keep ? undefined : await mkdtemp(join(objects, 'tmp_objdir-merge-'))
  try {
    const { exitCode, stdout, stderr } = await context.broker
      .run({
        args: ['merge-tree', '--write-tree', '-z', '--name-only', '--messages', ours, theirs],
        cwd: directory,
        kind: 'write',
        maxBytes: 16 << 20,
        ...(temporary === undefined
          ? {}
          : {
              environment: { GIT_OBJECT_DIRECTORY: temporary, GIT_ALTERNATE_OBJECT_DIRECTORIES: objects },
            }),
      })
      .catch((error: unknown) => explainMissing(locate(context, key), error))
    if (exitCode > 1 && stderr.includes('unrelated histories')) {
      return { clean: false, unrelated: true, conflicts: [], messages: ['the histories are not related'] }
    }
    if (exitCode > 1) mustSucceed({ exitCode, stderr }, 'merge-tree')
    return parseMerge(stdout.toString('latin1').split('\0'), exitCode === 0)
  } finally {
    if (temporary !== undefined) await rm(temporary, { recursive: true, force: true })
  }
}

/** Latin1: `tree NUL (path NUL)* NUL (count NUL paths… type NUL message NUL)*`. */
function parseMerge(fields: readonly string[], clean: boolean): MergeTreeResult {
  const tree = fields[0]!.trim() as Oid
  if (clean) return { clean, tree }
  const end = fields.indexOf('', 1)
  const conflicts = [...new Set(fields.slice(1, end === -1 ? undefined : end).map(decodeName))]
  const messages: string[] = []
  let index = end + 1
  while (end !== -1 && index < fields.length - 1) {
    const count = Number(fields[index])
    if (!Number.isInteger(count)) break
    const message = fields[index + count + 2]
    if (message) messages.push(utf8OfLatin1(message).trimEnd())
    index += count + 3
  }
  return { clean, tree, conflicts, messages }
}

/** A commit with the empty tree and no parent: the base for replaying a root commit. */
async function emptyRoot(context: GitContext, key: GitKey, like: Oid): Promise<Oid> {
  return (
    await writeCommit(context, key, {
      parents: [],
      tree: { base: undefined, changes: [] },
      author: nobody,
      committer: nobody,
      message: `empty ${emptyTreeOid(like.length)}\n`,
    })
  ).oid
}

/** Applies what a commit changed against its first parent, or the reverse, to another commit: `cherry-pick` and `revert`. */
export async function replayChange(
  context: GitContext,
  key: GitKey,
  { commit, onto, isReverse }: { readonly commit: Oid; readonly onto: Oid; readonly isReverse: boolean },
): Promise<MergeTreeResult> {
  const [parent] = (await readCommit(context, key, commit)).parents
  const before = parent ?? (await emptyRoot(context, key, commit))
  const [base, theirs] = isReverse ? [commit, before] : [before, commit]
  return mergeTree(context, key, { base, ours: onto, theirs })
}

/**
 * Replays commits as `git rebase` does. Merges, changes that `upstream` has in another commit, and commits that become
 * empty are left out. Commits that were empty before stay.
 */
export async function rebaseCommits(context: GitContext, key: GitKey, rebase: RebaseRequest): Promise<RebaseResult> {
  checkOids(rebase.onto, rebase.from, rebase.upstream)
  const { directory } = locate(context, key)
  const listed = await context.broker
    .run({
      args: [
        'rev-list',
        '--reverse',
        '--topo-order',
        '--no-merges',
        '--cherry-pick',
        '--right-only',
        `${rebase.upstream}...${rebase.from}`,
        '--',
      ],
      cwd: directory,
    })
    .catch((error: unknown) => explainMissing(locate(context, key), error))
  mustSucceed(listed, 'rev-list')
  const oids = listed.stdout
    .toString('latin1')
    .split('\n')
    .filter((line) => line !== '') as Oid[]
  if (oids.length > maxReplayedCommits) throw new Invalid(`more than ${maxReplayedCommits} commits to replay`)
  let tip = rebase.onto
  const commits: Oid[] = []
  for (const oid of oids) {
    // Lists of commits cut long messages.
    const commit = await readCommit(context, key, oid)
    const [parent] = commit.parents
    if (parent === tip && rebase.rewriteAll !== true) {
      tip = commit.oid
      commits.push(tip)
      continue
    }
    const { author, message } = commit
    const fresh = { author, committer: rebase.committer, message, sign: rebase.sign }
    const parentTree =
      parent === undefined ? emptyTreeOid(commit.oid.length) : (await readCommit(context, key, parent)).tree
    if (parentTree === commit.tree) {
      const { tree } = await readCommit(context, key, tip)
      tip = (await writeCommit(context, key, { ...fresh, parents: [tip], tree })).oid
      commits.push(tip)
      continue
    }
    const base = parent ?? (await emptyRoot(context, key, commit.oid))
    const merged = await mergeTree(context, key, { base, ours: tip, theirs: commit.oid })
    if (!merged.clean) {
      return { ok: false, commit: commit.oid, conflicts: merged.conflicts, messages: merged.messages }
    }
    if (merged.tree === (await readCommit(context, key, tip)).tree) continue
    tip = (await writeCommit(context, key, { ...fresh, parents: [tip], tree: merged.tree })).oid
    commits.push(tip)
  }
  return { ok: true, tip, commits }
}

/** Applies a unified diff to a tree through a temporary index. git refuses paths outside the tree. */
export async function applyPatch(
  context: GitContext,
  key: GitKey,
  baseTree: Oid,
  patch: Buffer,
): Promise<{ ok: true; tree: Oid } | { ok: false; message: string }> {
  checkOids(baseTree)
  const location = locate(context, key)
  const folder = await mkdtemp(join(location.directory, 'tmp_index-')).catch((error: unknown) =>
    explainMissing(location, error),
  )
  const environment = { GIT_INDEX_FILE: join(folder, 'index') }
  const run = (args: readonly string[], input?: Buffer) =>
    context.broker.run({ args, cwd: location.directory, environment, input, kind: 'write' })
  try {
    mustSucceed(await run(['read-tree', baseTree]), 'read-tree')
    const applied = await run(['apply', '--cached', '--whitespace=nowarn', '-'], patch)
    if (applied.exitCode !== 0) {
      return {
        ok: false,
        message: applied.stderr
          .split('\n')[0]!
          .replace(/^(error|fatal): /, '')
          .slice(0, 500),
      }
    }
    const written = await run(['write-tree'])
    mustSucceed(written, 'write-tree')
    return { ok: true, tree: written.stdout.toString().trim() as Oid }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
