import type { RepoUnit } from '../db/tables/repositories.ts'
import { movedUrl } from '../http/moved-url.ts'
import type { Requirement } from '../http/operation.ts'
import { Archived, Forbidden, NotFound } from '../lib/errors.ts'
import { pathText } from '../http/schema.ts'
import { findRepoOfPath, type RepoOfPath } from './access.store.ts'
import type { Ctx, RepoCtx } from './context.ts'
import { checkCredentialLimits } from './credential-limits.ts'
import { resolveRepo } from './resolve-repo.ts'

const repoParams = { username: pathText, reponame: pathText }

/** AR: the repository of the path exists and the viewer sees it. */
export const inRepo: Requirement<Ctx, Omit<RepoCtx, keyof Ctx>, typeof repoParams, RepoOfPath> = {
  codes: ['resolve:repo', 'publicOnlyCheck'],
  refuses: [403, 404],
  params: repoParams,
  ahead: ({ db }, { params }) => findRepoOfPath(db, params.username, params.reponame),
  async check(ctx, call, ahead) {
    const { username: owner, reponame: name } = call.params
    const addressUnder = (username: string, reponame: string) => movedUrl(call, { username, reponame })
    const found = await resolveRepo(ctx, owner, name, addressUnder, ahead)
    checkCredentialLimits(ctx.viewer, call)
    return found
  },
}

/** AR on its own, as the contract lists it. It always passes after `inRepo`. */
export const anyAccess: Requirement<RepoCtx, object> = { codes: ['AR'], refuses: [], check: () => ({}) }

/** RO: the owner, or an administrator of the instance. */
export const repoOwner: Requirement<RepoCtx, object> = {
  codes: ['RO'],
  refuses: [403],
  check({ rights }) {
    if (!rights.isOwner) throw new Forbidden('only the owner of the repository may do this', 'repo_owner_only')
    return {}
  },
}

/** RA: administrators of the repository. */
export const repoAdmin: Requirement<RepoCtx, object> = {
  codes: ['RA'],
  refuses: [403],
  check({ rights }) {
    if (!rights.isAdmin) throw new Forbidden('only administrators of the repository may do this', 'repo_admin_only')
    return {}
  },
}

/** RR(unit): reading any of the units, or RA. */
export const canRead = (...units: readonly RepoUnit[]): Requirement<RepoCtx, object> => ({
  codes: [`RR(${units.join('|')})`],
  refuses: [403],
  check({ rights }) {
    if (!units.some((unit) => rights.canRead(unit))) {
      throw new Forbidden(`you may not read ${units.join(' or ')}`, 'unit_unreadable')
    }
    return {}
  },
})

/** RW(unit): writing any of the units, or RA. */
export const canWrite = (...units: readonly RepoUnit[]): Requirement<RepoCtx, object> => ({
  codes: [`RW(${units.join('|')})`],
  refuses: [403],
  check({ rights }) {
    if (!units.some((unit) => rights.canWrite(unit))) {
      throw new Forbidden(`you may not write ${units.join(' or ')}`, 'unit_unwritable')
    }
    return {}
  },
})

/** NA: the repository is not archived. */
export const notArchived: Requirement<RepoCtx, object> = {
  codes: ['NA'],
  refuses: [423],
  check({ repo }) {
    if (repo.is_archived) throw new Archived()
    return {}
  },
}

/** A unit that is off or unreadable is 404. */
const unitThere = (code: string, ...units: readonly RepoUnit[]): Requirement<RepoCtx, object> => ({
  codes: [code],
  refuses: [404],
  check({ rights }) {
    if (!units.some((unit) => rights.modeOf(unit) > 0)) {
      throw new NotFound(`${units.join(' and ')} are not available here`, 'unit_unavailable')
    }
    return {}
  },
})

export const issuesOrPullsEnabled = unitThere('issuesOrPullsEnabled', 'issues', 'pulls')
export const issuesEnabled = unitThere('issuesEnabled', 'issues')
export const pullsEnabled = unitThere('pullsEnabled', 'pulls')
export const wikiEnabled = unitThere('wikiEnabled', 'wiki')
export const projectsEnabled = unitThere('projectsEnabled', 'projects')

/**
 * Stands for the opening of the git data in the contract's chain. It checks nothing: git data exists with the row,
 * and objects are read later.
 */
export const gitRepo: Requirement<RepoCtx, object> = { codes: ['gitRepo'], refuses: [], check: () => ({}) }
