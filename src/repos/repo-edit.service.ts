import { findRepoByName, listUnits } from '../access/access.store.ts'
import type { SignedInRepoCtx } from '../access/context.ts'
import { isUniqueViolation, transaction, type Tx } from '../db/database.ts'
import type { RepoChange, RepoRow, RepoUnitRow } from '../db/tables/repositories.ts'
import { publish } from '../events/hub.ts'
import { isValidBranchName } from '../lib/ref-name.ts'
import { Invalid } from '../lib/errors.ts'
import { branchRef, zeroOid } from '../lib/refs.ts'
import { nowUnix } from '../lib/time.ts'
import { codeOf, wikiOf, type GitRepository } from '../refs/git-repository.ts'
import { moveHead, moveRefs, type RefChange } from '../refs/changes/ref-door.service.ts'
import { loadRefs } from '../refs/changes/ref.store.ts'
import { mirrorChange } from './mirrors/mirror.service.ts'
import { updateMirror } from './mirrors/mirror.store.ts'
import { takeSettings, publishSettingsChange } from './settings-change.service.ts'
import { mayNameRepo } from './repo-name.rules.ts'
import {
  deleteRepoRedirect,
  deleteUnits,
  findRepoById,
  insertRepoRedirect,
  insertUnits,
  updateRepo,
} from './repo.store.ts'
import { disabledUnits, unitsNamed } from './unit-config.ts'
import { editUnits, type UnitEdit } from './unit-edit.rules.ts'

/** The changes. Undefined: unchanged. */
export interface RepoEdit {
  readonly name?: string | undefined
  readonly description?: string | undefined
  readonly website?: string | undefined
  readonly isPrivate?: boolean | undefined
  readonly isTemplate?: boolean | undefined
  readonly defaultBranch?: string | undefined
  readonly wikiBranch?: string | undefined
  readonly isArchived?: boolean | undefined
  readonly units?: UnitEdit
  readonly mirror?: { readonly interval?: string | undefined; readonly prunes?: boolean | undefined } | undefined
}

/**
 * Changes a repository in one transaction, after all checks. Throws `Invalid` for bad values. A default branch that
 * does not exist is ignored (contract).
 */
export async function editRepo(
  ctx: SignedInRepoCtx,
  edit: RepoEdit,
): Promise<{ readonly repo: RepoRow; readonly units: readonly RepoUnitRow[] }> {
  const { config, repo, owner } = ctx
  const change: RepoChange = {
    ...(await nameChange(ctx, edit.name)),
    ...(edit.description === undefined ? {} : { description: edit.description }),
    ...(edit.website === undefined ? {} : { website: edit.website }),
    ...(edit.isTemplate === undefined ? {} : { is_template: edit.isTemplate }),
    ...(await visibilityChange(ctx, edit.isPrivate)),
    ...(await defaultBranchChange(ctx, edit.defaultBranch)),
    ...wikiBranchChange(ctx, edit.wikiBranch),
    ...archiveChange(ctx, edit.isArchived),
    updated_unix: nowUnix(ctx.clock),
  }
  const units = editUnits(ctx.units, edit.units ?? { pulls: {} }, config, unitsNamed(disabledUnits(config), []))
  if (units.problem !== undefined) throw new Invalid(units.problem, 'unit_invalid')
  const mirror = mirrorChange(ctx, repo, edit.mirror)
  const wiki = repo.wiki_git_key === null ? undefined : wikiOf(repo, repo.wiki_git_key)
  const renaming = wiki && (await renamingOfWiki(ctx, wiki, change.wiki_branch))
  const write = async (tx: Tx): Promise<void> => {
    const before = await takeSettings(tx, repo.id)
    if (change.wiki_branch !== undefined) await mustBeSameWiki(tx, repo, before.repo, renaming !== undefined)
    await updateRepo(tx, repo.id, change)
    if (change.default_branch !== undefined) await moveHead(tx, ctx, codeOf(repo), change.default_branch)
    if (change.wiki_branch !== undefined && wiki && !renaming) await moveHead(tx, ctx, wiki, change.wiki_branch)
    await deleteUnits(tx, repo.id, units.off)
    await insertUnits(tx, repo.id, units.on)
    if (mirror) await updateMirror(tx, repo.id, mirror)
    if (change.name !== undefined) await recordRename(tx, ctx, change)
    await publishSettingsChange(tx, before, ctx.viewer.id)
  }
  try {
    if (!wiki || !renaming) await transaction(ctx.db, write)
    else {
      const origin = { doerId: ctx.viewer.id, via: 'api' } as const
      const moved = await moveRefs(ctx, wiki, renaming, origin, { before: write })
      if (!moved.ok) {
        throw new Invalid(`the branch of the wiki cannot be renamed: ${moved.message}`, 'wiki_branch_taken')
      }
    }
  } catch (error) {
    if (isUniqueViolation(error)) throw nameTaken(edit.name)
    throw error
  }
  const [updated, updatedUnits] = await Promise.all([findRepoById(ctx.db, repo.id), listUnits(ctx.db, [repo.id])])
  if (!updated) throw new Error(`repository ${owner.name}/${repo.name} was deleted while it was edited`)
  return { repo: updated, units: updatedUnits }
}

const nameTaken = (name: string | undefined): Invalid =>
  new Invalid(`there is a repository of the name ${name ?? ''} already`, 'repo_name_taken')

async function nameChange({ db, owner, repo }: SignedInRepoCtx, name: string | undefined): Promise<RepoChange> {
  if (name === undefined || name === '' || name === repo.name) return {}
  const verdict = mayNameRepo(name)
  if (!verdict.allowed) throw new Invalid(verdict.reason, verdict.code)
  const lowerName = name.toLowerCase()
  const holder = await findRepoByName(db, owner.id, lowerName)
  if (holder && holder.id !== repo.id) throw nameTaken(name)
  return { name, lower_name: lowerName }
}

/** Inserts a redirect from the former name, unless only the letter case changed. */
async function recordRename(tx: Tx, { owner, repo, viewer }: SignedInRepoCtx, change: RepoChange): Promise<void> {
  const newName = change.name as string
  if (change.lower_name !== repo.lower_name) {
    await deleteRepoRedirect(tx, owner.id, change.lower_name as string)
    await insertRepoRedirect(tx, owner.id, repo.lower_name, repo.id)
  }
  await publish(tx, 'repo.renamed', { repoId: repo.id, doerId: viewer.id, oldName: repo.name, newName })
}

/** Returns the visibility: a fork has that of its base, and the forks of a base follow it. */
async function visibilityChange(ctx: SignedInRepoCtx, becomesPrivate: boolean | undefined): Promise<RepoChange> {
  const { repo, db, config, viewer } = ctx
  if (becomesPrivate === undefined) return {}
  const base = repo.is_fork && repo.fork_id !== null ? await findRepoById(db, repo.fork_id) : undefined
  const isPrivate = base?.is_private ?? becomesPrivate
  if (!isPrivate && repo.is_private && config.repository.forcePrivate && !viewer.isAdmin) {
    throw new Invalid('repositories of this instance are private', 'force_private')
  }
  return isPrivate === repo.is_private ? {} : { is_private: isPrivate }
}

async function defaultBranchChange({ repo, git }: SignedInRepoCtx, branch: string | undefined): Promise<RepoChange> {
  if (branch === undefined || branch === '' || branch === repo.default_branch) return {}
  if (!isValidBranchName(branch)) throw new Invalid(`${branch} is no name for a branch`, 'branch_name_invalid')
  const exists = repo.is_empty || (await git.readRef(repo.git_key, branchRef(branch))) !== undefined
  return exists ? { default_branch: branch } : {}
}

function wikiBranchChange({ repo }: SignedInRepoCtx, branch: string | undefined): RepoChange {
  if (branch === undefined || branch === '' || branch === repo.wiki_branch) return {}
  if (!isValidBranchName(branch)) throw new Invalid(`${branch} is no name for a branch`, 'branch_name_invalid')
  return { wiki_branch: branch }
}

function archiveChange({ repo, clock }: SignedInRepoCtx, becomesArchived: boolean | undefined): RepoChange {
  if (becomesArchived === undefined || becomesArchived === repo.is_archived) return {}
  if (becomesArchived && repo.is_mirror) throw new Invalid('a mirror cannot be archived', 'mirror_not_archivable')
  return { is_archived: becomesArchived, archived_unix: becomesArchived ? nowUnix(clock) : 0 }
}

/** Throws `Invalid` when the wiki got another branch or its first page meanwhile: the new name would be that of no branch. */
async function mustBeSameWiki(tx: Tx, seen: RepoRow, present: RepoRow, isRenamed: boolean): Promise<void> {
  const isSame = seen.wiki_branch === present.wiki_branch && seen.wiki_git_key === present.wiki_git_key
  const subject = { repoId: seen.id, kind: 'wiki' } as const
  const hasBranch = !isRenamed && (await loadRefs(tx, subject, [branchRef(seen.wiki_branch)])).size > 0
  if (isSame && !hasBranch) return
  throw new Invalid('the wiki was changed meanwhile; try again', 'wiki_branch_moved')
}

/** Returns the changes that rename the branch of a wiki; undefined when there is nothing to rename. */
async function renamingOfWiki(
  { git, repo }: SignedInRepoCtx,
  { gitKey, objectFormat }: GitRepository,
  branch: string | undefined,
): Promise<RefChange[] | undefined> {
  if (branch === undefined) return undefined
  const from = branchRef(repo.wiki_branch)
  const head = await git.readRef(gitKey, from)
  if (!head) return undefined
  const none = zeroOid(objectFormat)
  return [
    { ref: branchRef(branch), old: none, new: head },
    { ref: from, old: head, new: none },
  ]
}
