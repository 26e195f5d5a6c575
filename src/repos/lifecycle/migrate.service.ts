import { findAccountByName, findRepoByName } from '../../access/access.store.ts'
import type { SignedInCtx } from '../../access/context.ts'
import { refusePrivate } from '../../access/credential-limits.ts'
import { refuseOverQuota } from '../../access/quota/quota.service.ts'
import type { Db } from '../../db/database.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import type { RepoRow } from '../../db/tables/repositories.ts'
import { publish } from '../../events/hub.ts'
import { isValidBranchName } from '../../lib/ref-name.ts'
import { Forbidden, Invalid, Unavailable } from '../../lib/errors.ts'
import type { UserId } from '../../lib/ids.ts'
import { branchRef, tagRef, zeroOid } from '../../lib/refs.ts'
import { nowUnix } from '../../lib/time.ts'
import { orgMembership } from '../../orgs/membership.service.ts'
import { findUserById } from '../../users/user.store.ts'
import { migrationClient } from '../mirrors/migration-client.ts'
import { intervalOf, newMirror, refuseNewMirror } from '../mirrors/mirror.service.ts'
import { insertMirror } from '../mirrors/mirror.store.ts'
import { mayMigrate, type MigrationItems } from './migrate.rules.ts'
import { insertTags } from './fork.store.ts'
import { readNewRefs, type NewRefs } from '../../refs/changes/new-refs.service.ts'
import { parseRemoteAddress, type GivenCredentials, type RemoteAddress } from '../mirrors/remote-address.rules.ts'
import { asInvalid, fetchFrom, lookAtRemote } from '../mirrors/remote-repository.service.ts'
import { insertNewRepo, limitReached, nameTaken, repoLimit, withNewGit } from './repo-creation.service.ts'
import { mayNameRepo } from '../repo-name.rules.ts'
import { newUnits } from '../unit-config.ts'

/** A migration: source, parts and target. */
export interface Migration extends MigrationItems {
  readonly address: string
  readonly credentials: GivenCredentials
  readonly name: string
  readonly description?: string | undefined
  readonly isPrivate?: boolean | undefined
  /** Whether the copy stays a mirror. */
  readonly isMirror?: boolean | undefined
  /** Mirror interval, for example `8h`. Empty: the instance's default. */
  readonly mirrorInterval?: string | undefined
  /** Aborts the copy when the client disconnects. */
  readonly signal?: AbortSignal | undefined
}

/** References that a migration copies. A server's own references, such as pull requests, are not copied. */
export const copiedRefspecs = ['+refs/heads/*:refs/heads/*', '+refs/tags/*:refs/tags/*', '+refs/notes/*:refs/notes/*']

/**
 * Returns the owner of the copy: by name, else by id, else the caller. Throws `Invalid` for an unknown account and
 * `Forbidden` for another person or an organization that the caller does not own.
 */
export async function getMigrationOwner(
  ctx: SignedInCtx,
  given: { readonly name?: string | undefined; readonly id?: number | undefined },
): Promise<UserRow> {
  const { viewer, db } = ctx
  if (!given.name && !given.id) return viewer.user
  const owner = given.name
    ? await findAccountByName(db, given.name.toLowerCase())
    : await findUserById(db, given.id as UserId)
  if (!owner || owner.kind === 'reserved') throw new Invalid('the owner does not exist', 'owner_not_found')
  if (await mayMakeReposFor(db, viewer.user, owner)) return owner
  if (owner.kind !== 'organization') throw new Forbidden('the owner is somebody else', 'owner_is_another')
  throw new Forbidden('only an organization owner may do this', 'org_owner_only')
}

/**
 * Returns whether a person may migrate repositories to an account: the own one, an owned organization, any for
 * administrators.
 */
export async function mayMakeReposFor(db: Db, doer: UserRow, owner: UserRow): Promise<boolean> {
  if (owner.id === doer.id || doer.is_admin) return true
  return owner.kind === 'organization' && (await orgMembership(db, owner.id, doer.id)).isOwner
}

/**
 * Checks a migration before the source server is contacted. Throws `Invalid` for bad and refused addresses,
 * `Conflict` for a used name, and `Forbidden` when migrations are disabled or the owner's limit is reached
 * (contract, repositories: migration). Returns the address and the mirror interval in seconds.
 */
export async function checkMigration(
  ctx: SignedInCtx,
  owner: UserRow,
  input: Migration,
): Promise<{ readonly address: RemoteAddress; readonly intervalSeconds: number }> {
  const { config, db } = ctx
  const named = mayNameRepo(input.name)
  if (!named.allowed) throw new Invalid(named.reason, named.code)
  refusePrivate(ctx.viewer, input.isPrivate ?? false)
  const possible = mayMigrate(input)
  if (!possible.allowed) throw new Invalid(possible.reason, possible.code)
  const address = parseRemoteAddress(input.address, input.credentials)
  if (typeof address === 'string') throw new Invalid(address, 'address_invalid')
  if (config.repository.disableMigrations) throw new Forbidden('migrations are switched off', 'migrations_disabled')
  await asInvalid(migrationClient.of(ctx).resolve(address.url))
  const intervalSeconds = input.isMirror ? intervalOf(ctx, input.mirrorInterval) : 0
  if (input.isMirror) refuseNewMirror(ctx)
  if (await findRepoByName(db, owner.id, input.name.toLowerCase())) throw nameTaken(input.name)
  const limit = repoLimit(ctx, ctx.viewer.user, owner)
  if (limit !== undefined && owner.num_repos >= limit) throw limitReached(owner, limit)
  await refuseOverQuota(ctx, owner, 'size:repos:all')
  return { address, intervalSeconds }
}

/**
 * Copies a repository of another server. Git fetches everything under a new key before the row is inserted, so a
 * failed copy leaves nothing. Throws what `checkMigration` throws, and `Invalid` for failures of the source.
 */
export async function migrateRepo(ctx: SignedInCtx, owner: UserRow, input: Migration): Promise<RepoRow> {
  const { config } = ctx
  const { address, intervalSeconds } = await checkMigration(ctx, owner, input)
  const remote = await lookAtRemote(ctx, address, input.signal)
  const wanted = remote.defaultBranch ?? ''
  const defaultBranch = isValidBranchName(wanted) ? wanted : config.repository.defaultBranch
  return withNewGit(ctx, { defaultBranch, objectFormat: remote.objectFormat }, async (git) => {
    const timeoutMs = config.gitTimeout.migrate * 1000
    await fetchFrom(ctx, git.key, remote, { refspecs: copiedRefspecs, into: 'new', timeoutMs, signal: input.signal })
    const refs = await readNewRefs(ctx, git.key)
    const branch = chooseDefaultBranch(refs, defaultBranch)
    if (branch !== defaultBranch) await ctx.git.setHead(git.key, branch)
    const { defaultMirrorRepoUnits, defaultRepoUnits } = config.repository
    const unitNames = input.isMirror ? defaultMirrorRepoUnits : defaultRepoUnits
    if (input.signal?.aborted) throw new Unavailable('the client went away', 'cancelled')
    return insertNewRepo(ctx, {
      doer: ctx.viewer.user,
      owner,
      git: { ...git, defaultBranch: branch },
      createdUnix: nowUnix(ctx.clock),
      row: {
        name: input.name,
        description: input.description ?? '',
        is_private: (input.isPrivate ?? false) || config.repository.forcePrivate,
        original_url: address.url,
        is_mirror: input.isMirror ?? false,
        fork_id: null,
        template_id: null,
      },
      branches: refs.branches,
      refs: refs.all,
      units: newUnits(unitNames, config),
      async inTransaction(tx, repo) {
        const doer = { repoId: repo.id, doerId: ctx.viewer.id }
        await insertTags(tx, repo.id, refs.tags)
        if (input.isMirror) {
          await insertMirror(tx, { repo_id: repo.id, ...newMirror(ctx, address, intervalSeconds) })
        }
        await publish(tx, 'repo.created', doer)
        const updates = updatesOf(refs, repo)
        if (updates.length > 0) await publish(tx, 'refs.updated', { ...doer, kind: 'code', updates, origin: 'mirror' })
      },
    })
  })
}

/** Returns the source's default branch if it was copied, else `main`, `master` or the first branch. */
export function chooseDefaultBranch({ branches }: NewRefs, wanted: string): string {
  const names = new Set(branches.map(({ name }) => name))
  return [wanted, 'main', 'master'].find((name) => names.has(name)) ?? branches[0]?.name ?? wanted
}

/** Returns the references of a new repository as created references. */
export const updatesOf = ({ branches, tags }: NewRefs, { object_format: format }: RepoRow) => {
  const old = zeroOid(format)
  return [
    ...branches.map(({ name, commit }) => ({ ref: branchRef(name), old, new: commit })),
    ...tags.map(({ name, oid }) => ({ ref: tagRef(name), old, new: oid })),
  ]
}
