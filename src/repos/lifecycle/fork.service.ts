import { findAccountByName, findRepoByName } from '../../access/access.store.ts'
import type { SignedInCtx, SignedInRepoCtx } from '../../access/context.ts'
import { refuseOverQuota } from '../../access/quota/quota.service.ts'
import { refuseOverQuotaBefore } from '../../access/quota/reservation.service.ts'
import { ownCharge } from '../git-usage.service.ts'
import { mode } from '../../access/rights.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import type { RepoRow } from '../../db/tables/repositories.ts'
import { publish } from '../../events/hub.ts'
import { newGitKey } from '../../git/git-key.ts'
import type { BareRef } from '../../git/git.ts'
import { Conflict, Forbidden, Invalid, NotFound } from '../../lib/errors.ts'
import type { GitKey, Oid } from '../../lib/ids.ts'
import { branchOf, tagOf } from '../../lib/refs.ts'
import { nowUnix, type Unix } from '../../lib/time.ts'
import { copyPacks } from '../../refs/changes/pack.store.ts'
import { codeOf } from '../../refs/git-repository.ts'
import { orgMembership } from '../../orgs/membership.service.ts'
import { findForkOf, insertTags, listTagTimes } from './fork.store.ts'
import { insertNewRepo, nameTaken, removingOnFailure, type NewGit } from './repo-creation.service.ts'
import { mayNameRepo } from '../repo-name.rules.ts'
import { addToForkCount } from '../repo.store.ts'
import { newUnits } from '../unit-config.ts'

export interface NewFork {
  /** Empty: the caller's account. */
  readonly organization?: string | undefined
  /** Empty: the name of the base. */
  readonly name?: string | undefined
}

/**
 * Returns the owner of the fork. Throws `Invalid` for an unknown organization and `Forbidden` for one without the
 * caller.
 */
async function forkOwner(
  ctx: SignedInCtx,
  organization: string | undefined,
): Promise<{ owner: UserRow; ownsIt: boolean }> {
  if (!organization) return { owner: ctx.viewer.user, ownsIt: true }
  const org = await findAccountByName(ctx.db, organization.toLowerCase())
  if (org?.kind !== 'organization') {
    throw new Invalid(`the organization ${organization} does not exist`, 'org_not_found')
  }
  if (ctx.viewer.isAdmin) return { owner: org, ownsIt: true }
  const membership = await orgMembership(ctx.db, org.id, ctx.viewer.id)
  if (!membership.isMember) throw new Forbidden('you are no member of the organization', 'org_member_only')
  if (!membership.mayCreateRepos) {
    throw new Forbidden('you may not create repositories in the organization', 'org_repo_creation_not_allowed')
  }
  return { owner: org, ownsIt: membership.isOwner }
}

const forkTaken = (owner: UserRow, base: RepoRow): Conflict =>
  new Conflict(`${owner.name} has a fork of ${base.name} already`, 'fork_exists')

/**
 * Forks the repository of the request. Throws `Conflict` when the owner has a fork of it or a repository of the
 * name. The fork of a private repository, or of one that only members see, is private.
 */
export async function forkRepo(ctx: SignedInRepoCtx, input: NewFork): Promise<{ repo: RepoRow; owner: UserRow }> {
  const { repo: base, viewer, db, config } = ctx
  const { owner, ownsIt } = await forkOwner(ctx, input.organization)
  await refuseOverQuota(ctx, owner, 'size:repos:all')
  const name = input.name || base.name
  const named = mayNameRepo(name)
  if (!named.allowed) throw new Invalid(named.reason, named.code)
  if (await findForkOf(db, base.id, owner.id)) throw forkTaken(owner, base)
  if (await findRepoByName(db, owner.id, name.toLowerCase())) throw nameTaken(name)
  const createdUnix = nowUnix(ctx.clock)
  const git: NewGit = { key: newGitKey(), defaultBranch: base.default_branch, objectFormat: base.object_format }
  // Packs in a storage are shared: the fork names those of its base.
  const sharesPacks = ctx.packs !== undefined
  if (!sharesPacks) await ctx.git.fork(base.git_key, git.key)
  const repo = await removingOnFailure(ctx, git.key, async () => {
    const refs = await readForkedRefs(ctx, sharesPacks ? base.git_key : git.key)
    return insertNewRepo(ctx, {
      doer: viewer.user,
      owner,
      git,
      createdUnix,
      ...(sharesPacks ? { sizeBytes: base.git_size_bytes } : {}),
      row: {
        name,
        description: base.description,
        is_private: base.is_private || ctx.owner.visibility === 'private' || config.repository.forcePrivate,
        is_fork: true,
        fork_id: base.id,
        template_id: null,
        primary_language: base.primary_language,
      },
      branches: refs.branches,
      refs: refs.all,
      units: newUnits(config.repository.defaultForkRepoUnits, config),
      access: ownsIt ? undefined : mode.admin,
      async inTransaction(tx, fork) {
        // The owner's row is locked, so the second of two concurrent forks sees the first.
        if (await findForkOf(tx, base.id, owner.id, fork.id)) throw forkTaken(owner, base)
        await refuseOverQuotaBefore(ctx, tx, ownCharge(owner, fork))
        await insertTags(tx, fork.id, refs.tags)
        // This locks the base, so that its packs stay until the fork names them.
        await addToForkCount(tx, base.id, 1)
        if (sharesPacks && !(await copyPacks(tx, codeOf(base), codeOf(fork))) && refs.all.length > 0) {
          throw new NotFound('the repository does not exist', 'repo_not_found')
        }
        await publish(tx, 'repo.created', { repoId: fork.id, doerId: viewer.id })
        await publish(tx, 'repo.forked', { repoId: fork.id, doerId: viewer.id, baseId: base.id })
      },
    })
  })
  return { repo, owner }
}

interface ForkedRefs {
  readonly all: readonly BareRef[]
  readonly branches: { readonly name: string; readonly commit: Oid; readonly commitUnix: Unix }[]
  readonly tags: { readonly name: string; readonly oid: Oid; readonly commitOid: Oid; readonly createdUnix: Unix }[]
}

/** Inserts rows for the copied branches and tags, with the times of the base's rows. */
async function readForkedRefs({ git: store, db, repo: base }: SignedInRepoCtx, key: GitKey): Promise<ForkedRefs> {
  const [{ refs: heads }, { refs: tags }, knownTimes] = await Promise.all([
    store.listRefs(key, { prefix: 'refs/heads/' }),
    store.listRefs(key, { prefix: 'refs/tags/' }),
    listTagTimes(db, base.id),
  ])
  const commitOids = [...heads, ...tags].filter((ref) => ref.peeledType === 'commit').map((ref) => ref.peeled)
  const commits = new Map(
    (await store.readCommits(key, [...new Set(commitOids)])).map((commit) => [
      commit.oid,
      commit.committer.unixSeconds,
    ]),
  )
  return {
    all: [...heads, ...tags].map(({ name, oid }) => ({ name, oid })),
    branches: heads.flatMap((ref) => {
      const name = branchOf(ref.name)
      return name === undefined ? [] : [{ name, commit: ref.oid, commitUnix: commits.get(ref.oid) ?? 0 }]
    }),
    tags: tags.flatMap((ref) => {
      const name = tagOf(ref.name)
      const createdUnix = knownTimes.get(ref.oid) ?? commits.get(ref.peeled) ?? 0
      return name === undefined ? [] : [{ name, oid: ref.oid, commitOid: ref.peeled, createdUnix }]
    }),
  }
}
