import type { RepoUnit } from '../db/tables/repositories.ts'
import type { Call, Requirement } from '../http/operation.ts'
import { Archived, Forbidden, Moved, NotFound } from '../lib/errors.ts'
import { findAccountByFormerName, findAccountByName, findRepoByFormerName, findRepoByName } from './access.store.ts'
import type { Ctx, RepoCtx } from './context.ts'
import { accessTo } from './repo-access.ts'
import { refusePrivate } from './requirements.ts'

/** The address of the same request under another name; both names are escaped. */
function movedUrl(call: Pick<Call, 'url'>, names: { from: string; to: string }[]): string {
  const [path = '', ...query] = call.url.split('?')
  const parts = path.split('/')
  let next = 0
  const moved = parts.map((part) => {
    const pair = names[next]
    if (!pair || safeDecode(part).toLowerCase() !== pair.from.toLowerCase()) return part
    next++
    return encodeURIComponent(pair.to)
  })
  return [moved.join('/'), ...query].join('?')
}

function safeDecode(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/**
 * Finds the repository of a path and what the viewer may do there. Missing and unreadable ones are 404 alike; renamed
 * accounts answer 307, renamed or transferred repositories 301, before the rights are looked at (contract R2).
 */
export async function resolveRepo(
  ctx: Ctx,
  ownerName: string,
  repoName: string,
  call: Pick<Call, 'url'>,
): Promise<Omit<RepoCtx, keyof Ctx>> {
  const owner = await findAccountByName(ctx.db, ownerName.toLowerCase())
  if (!owner) {
    const renamed = await findAccountByFormerName(ctx.db, ownerName.toLowerCase())
    if (!renamed) throw new NotFound('the repository does not exist', 'repo_not_found')
    throw new Moved(307, movedUrl(call, [{ from: ownerName, to: renamed.name }]))
  }
  const repo = await findRepoByName(ctx.db, owner.id, repoName.toLowerCase())
  if (!repo) {
    const moved = await findRepoByFormerName(ctx.db, owner.id, repoName.toLowerCase())
    if (!moved) throw new NotFound('the repository does not exist', 'repo_not_found')
    throw new Moved(
      301,
      movedUrl(call, [
        { from: ownerName, to: moved.owner_name },
        { from: repoName, to: moved.repo_name },
      ]),
    )
  }
  const { units, rights } = await accessTo(ctx.db, ctx.viewer, owner, repo)
  if (rights.rank === 0 && !units.some((row) => rights.modeOf(row.unit) > 0)) {
    throw new NotFound('the repository does not exist', 'repo_not_found')
  }
  refusePrivate(ctx.viewer, repo.is_private, 'repos')
  return { owner, repo, units, rights }
}

/** AR: the repository that the path names exists and the viewer may see something of it. */
export const inRepo: Requirement<object, RepoCtx> = {
  codes: ['resolve:repo', 'publicOnlyCheck'],
  check: (ctx, call) =>
    resolveRepo(ctx as Ctx, String(call.params['username']), String(call.params['reponame']), call) as Promise<RepoCtx>,
}

/** AR where the contract names it by itself; whoever came through `inRepo` passes. */
export const anyAccess: Requirement<RepoCtx, object> = { codes: ['AR'], check: () => ({}) }

/** RO: the owner, or an administrator of the instance. */
export const repoOwner: Requirement<RepoCtx, object> = {
  codes: ['RO'],
  check({ rights }) {
    if (!rights.isOwner) throw new Forbidden('only the owner of the repository may do this', 'repo_owner_only')
    return {}
  },
}

/** RA: administrators of the repository. */
export const repoAdmin: Requirement<RepoCtx, object> = {
  codes: ['RA'],
  check({ rights }) {
    if (!rights.isAdmin) throw new Forbidden('only administrators of the repository may do this', 'repo_admin_only')
    return {}
  },
}

/** RR(unit): reading any of the units, or RA. */
export const canRead = (...units: readonly RepoUnit[]): Requirement<RepoCtx, object> => ({
  codes: [`RR(${units.join('|')})`],
  check({ rights }) {
    if (!units.some((unit) => rights.canRead(unit)))
      throw new Forbidden(`you may not read ${units.join(' or ')}`, 'unit_unreadable')
    return {}
  },
})

/** RW(unit): writing any of the units, or RA. */
export const canWrite = (...units: readonly RepoUnit[]): Requirement<RepoCtx, object> => ({
  codes: [`RW(${units.join('|')})`],
  check({ rights }) {
    if (!units.some((unit) => rights.canWrite(unit)))
      throw new Forbidden(`you may not write ${units.join(' or ')}`, 'unit_unwritable')
    return {}
  },
})

/** NA: the repository takes changes. */
export const notArchived: Requirement<RepoCtx, object> = {
  codes: ['NA'],
  check({ repo }) {
    if (repo.is_archived) throw new Archived()
    return {}
  },
}

/** A unit that is switched off or unreadable for the viewer is not there at all: 404. */
const unitThere = (code: string, ...units: readonly RepoUnit[]): Requirement<RepoCtx, object> => ({
  codes: [code],
  check({ rights }) {
    if (!units.some((unit) => rights.modeOf(unit) > 0))
      throw new NotFound(`${units.join(' and ')} are not available here`, 'unit_unavailable')
    return {}
  },
})

export const issuesOrPullsEnabled = unitThere('issuesOrPullsEnabled', 'issues', 'pulls')
export const issuesEnabled = unitThere('issuesEnabled', 'issues')
export const pullsEnabled = unitThere('pullsEnabled', 'pulls')
export const wikiEnabled = unitThere('wikiEnabled', 'wiki')

/**
 * The repository's git data is opened. Nothing is to be checked: a record whose git data is missing can not come about,
 * and objects are looked up when they are needed. The name keeps the contract's order readable.
 */
export const gitRepo: Requirement<RepoCtx, object> = { codes: ['gitRepo'], check: () => ({}) }
