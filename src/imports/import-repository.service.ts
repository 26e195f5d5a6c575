import { transaction, isUniqueViolation } from '../db/database.ts'
import type { RepoRow } from '../db/tables/repositories.ts'
import { publish } from '../events/hub.ts'
import { newGitKey } from '../git/git-key.ts'
import { isValidBranchName } from '../lib/ref-name.ts'
import { enqueue } from '../jobs/queue.ts'
import { Forbidden } from '../lib/errors.ts'
import { nowUnix } from '../lib/time.ts'
import { moveUsage } from '../access/quota/usage.store.ts'
import { contributionsOf } from '../access/feature.ts'
import { pluck } from '../lib/pluck.ts'
import { listAllRepoMemberIds } from '../orgs/team.store.ts'
import { readNewRefs } from '../refs/changes/new-refs.service.ts'
import { recordGitUsage } from '../repos/git-usage.service.ts'
import { insertTags } from '../repos/lifecycle/fork.store.ts'
import { chooseDefaultBranch, copiedRefspecs, updatesOf } from '../repos/lifecycle/migrate.service.ts'
import {
  insertNewRepo,
  limitReached,
  nameTaken,
  repoLimit,
  withNewGit,
} from '../repos/lifecycle/repo-creation.service.ts'
import { newMirror } from '../repos/mirrors/mirror.service.ts'
import { insertMirror, updateMirror } from '../repos/mirrors/mirror.store.ts'
import { fetchFrom, forgetFetched, lookAtRemote } from '../repos/mirrors/remote-repository.service.ts'
import { addToRepoCount, deleteRepoRedirect, deleteRepoRow, takeRepoSlot, updateRepo } from '../repos/repo.store.ts'
import { isTopic, maxTopics, normaliseTopics } from '../repos/social/topic.rules.ts'
import { insertRepoTopics, upsertTopics } from '../repos/social/topic.store.ts'
import { watchRepos } from '../repos/social/watch.store.ts'
import { newUnits } from '../repos/unit-config.ts'
import { indexWikiPages } from '../wiki/index-wiki-pages.job.ts'
import { fetchedPulls } from './import-pulls.service.ts'
import { refuseImportOverQuota } from './import-releases.service.ts'
import { followedItems } from './follow-mirror.service.ts'
import { addNote, reach, type RepositoryRun, type ImportRun } from './import-run.ts'
import { recountImported } from './import-rows.store.ts'
import { updateUnfinished } from './import.store.ts'

/** Longest stored description, in characters. */
const maxDescription = 2048

/** Fetches the git data into a hidden repository of the reserved account, which receives all further imports. */
export async function createHiddenRepo(run: ImportRun): Promise<void> {
  const { ctx, wanted, hidden, doer } = run
  const { config } = ctx
  const remote = await lookAtRemote(ctx, run.remote, run.signal)
  const named = remote.defaultBranch ?? ''
  const defaultBranch = isValidBranchName(named) ? named : config.repository.defaultBranch
  const pulls = wanted.items.includes('pull_requests') ? run.source?.pullRefs : undefined
  await withNewGit(ctx, { defaultBranch, objectFormat: remote.objectFormat }, async (git) => {
    await fetchFrom(ctx, git.key, remote, {
      refspecs: [...copiedRefspecs, ...(pulls === undefined ? [] : [`+${pulls}:${fetchedPulls}*`])],
      into: 'new',
      timeoutMs: config.gitTimeout.migrate * 1000,
      signal: run.signal,
    })
    const refs = await readNewRefs(ctx, git.key)
    const branch = chooseDefaultBranch(refs, defaultBranch)
    if (branch !== defaultBranch) await ctx.git.setHead(git.key, branch)
    const { defaultMirrorRepoUnits, defaultRepoUnits } = config.repository
    await insertNewRepo(ctx, {
      doer,
      owner: hidden,
      git: { ...git, defaultBranch: branch },
      createdUnix: nowUnix(ctx.clock),
      row: {
        // The import row holds the name; several imports may use the same name for different owners.
        name: newGitKey(),
        description: '',
        is_private: true,
        original_url: wanted.address,
        is_mirror: wanted.mirrorSeconds !== undefined,
        fork_id: null,
        template_id: null,
      },
      branches: refs.branches,
      refs: refs.all,
      units: newUnits(wanted.mirrorSeconds === undefined ? defaultRepoUnits : defaultMirrorRepoUnits, config),
      isWatched: false,
      async inTransaction(tx, repo) {
        await insertTags(tx, repo.id, refs.tags)
        if (wanted.mirrorSeconds !== undefined) {
          await insertMirror(tx, {
            repo_id: repo.id,
            ...newMirror(ctx, run.remote, wanted.mirrorSeconds),
            // A mirror is not updated before its import has finished.
            next_unix: 0,
            follows: JSON.stringify(followedItems.filter((item) => wanted.items.includes(item))),
            service: wanted.service,
          })
        }
        const updated = await updateUnfinished(tx, run.row.id, { repo_id: repo.id })
        if (!updated) throw new Forbidden('the import has ended', 'import_over')
        await reach(tx, run, { step: 'wiki', position: '', doneCount: 0 })
      },
    })
  })
}

/**
 * Gives the repository to its owner under its name and publishes its events once. `Conflict` when the name was taken meanwhile,
 * `Forbidden` at the owner's limit of repositories.
 */
export async function finishImport(run: RepositoryRun): Promise<void> {
  const { ctx, repo, wanted, owner, doer, hidden } = run
  // The heads of pull requests have references of their own.
  await forgetFetched(ctx, repo.git_key)
  await refuseImportOverQuota(run)
  const described = run.source ? await run.source.describe() : undefined
  const topics = normaliseTopics(described?.topics ?? [])
    .filter(isTopic)
    .slice(0, maxTopics)
  if (described?.isArchived) addNote(run, 'the repository is archived on the source server; here it is writable')
  const sizeBytes = await ctx.git.sizeBytes(repo.git_key)
  const refs = await readNewRefs(ctx, repo.git_key)
  const isPrivate = wanted.isPrivate || ctx.config.repository.forcePrivate
  const now = nowUnix(ctx.clock)
  await transaction(ctx.db, (tx) => recountImported(tx, repo.id))
  try {
    await transaction(ctx.db, async (tx) => {
      const limit = repoLimit(ctx, doer, owner)
      if (!(await takeRepoSlot(tx, owner.id, limit))) throw limitReached(owner, limit)
      const changed = await updateRepo(tx, repo.id, {
        owner_id: owner.id,
        name: wanted.name,
        lower_name: wanted.name.toLowerCase(),
        is_private: isPrivate,
        description: (wanted.description ?? described?.description ?? '').slice(0, maxDescription),
        website: described?.website ?? '',
        topics: JSON.stringify(topics),
        git_size_bytes: sizeBytes,
        created_unix: now,
        updated_unix: now,
      })
      await moveUsage(tx, repo.id, owner.id)
      await recordGitUsage(tx, [changed])
      await addToRepoCount(tx, hidden.id, -1)
      await deleteRepoRedirect(tx, owner.id, changed.lower_name)
      await insertRepoTopics(tx, repo.id, pluck(await upsertTopics(tx, topics, now), 'id'))
      if (wanted.mirrorSeconds !== undefined && wanted.mirrorSeconds > 0) {
        await updateMirror(tx, repo.id, { next_unix: now + wanted.mirrorSeconds })
      }
      if (ctx.config.service.autoWatchNewRepos) {
        const others = owner.kind === 'organization' ? await listAllRepoMemberIds(tx, owner.id) : []
        await watchRepos(tx, [repo.id], [...new Set([doer.id, ...others])], 'auto', now)
      }
      if (repo.wiki_git_key !== null) await enqueue(tx, indexWikiPages, { repoId: repo.id })
      const about = { repoId: repo.id, doerId: doer.id }
      await publish(tx, 'repo.created', about)
      const updates = updatesOf(refs, changed)
      if (updates.length > 0) await publish(tx, 'refs.updated', { ...about, kind: 'code', updates, origin: 'mirror' })
      const ended = await updateUnfinished(tx, run.row.id, {
        state: 'done',
        step: 'finish',
        cursor: '',
        sealed_credentials: '',
        notes: JSON.stringify(run.notes),
        updated_unix: now,
      })
      if (!ended) throw new Forbidden('the import has ended', 'import_over')
    })
  } catch (error) {
    if (isUniqueViolation(error)) throw nameTaken(wanted.name)
    throw error
  }
}

/** The end of an import without a repository. */
export interface Ending {
  readonly state: 'failed' | 'cancelled'
  readonly problem: string
}

/** Longest stored reason, in characters. */
const maxProblemLength = 1000

/** Ends an unfinished import and deletes its repository: rows now, git data and files after the commit. */
export async function abandonImport(
  run: Pick<ImportRun, 'ctx' | 'row' | 'hidden'>,
  repo: RepoRow | undefined,
  { state, problem }: Ending,
): Promise<void> {
  const { ctx, row, hidden } = run
  const { ownedByRepos } = contributionsOf(ctx)
  await transaction(ctx.db, async (tx) => {
    const ended = await updateUnfinished(tx, row.id, {
      state,
      problem: problem.slice(0, maxProblemLength),
      sealed_credentials: '',
      updated_unix: nowUnix(ctx.clock),
    })
    if (!ended || !repo || repo.owner_id !== hidden.id) return
    for (const { leave } of ownedByRepos) await leave(tx, repo)
    if (!(await deleteRepoRow(tx, repo.id))) return
    await addToRepoCount(tx, hidden.id, -1)
    await publish(tx, 'repo.importAbandoned', {
      repoId: repo.id,
      doerId: row.doer_id,
      gitKeys: [repo.git_key, ...(repo.wiki_git_key === null ? [] : [repo.wiki_git_key])],
    })
  })
}
