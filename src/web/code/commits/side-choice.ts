import { Type } from 'typebox'
import type { RepoCtx } from '../../../access/context.ts'
import { getBranchPage } from '../../../code/branches/branch.service.ts'
import { isRelated } from '../../../code/commits/compared-side.rules.ts'
import { findComparedSide } from '../../../code/commits/compared-side.service.ts'
import { enumeration } from '../../../http/schema.ts'
import { NotFound } from '../../../lib/errors.ts'
import { listNetwork, type NetworkRepo } from '../../../repos/lists/fork-network.service.ts'
import { text } from '../../ui/fields.ts'
import { comparePath, type SideNames } from '../../shared/compare/compare-address.ts'

export type SideName = 'base' | 'head'

export const sideQuery = {
  /** The side that is chosen. */
  choose: Type.Optional(enumeration('base', 'head')),
  /** `owner/repository`, whose branches are listed. */
  of: text,
  /** A part of the names of branches. */
  find: text,
  /** A part of the names of repositories. */
  named: text,
} as const

/** The repositories and branches that one side of a comparison can be. */
export interface SideChoice {
  readonly side: SideName
  readonly base: SideNames
  readonly head: SideNames
  readonly repos: readonly NetworkRepo[]
  readonly hasMoreRepos: boolean
  /** The repository whose branches are listed. */
  readonly of: NetworkRepo
  readonly branches: readonly string[]
  readonly total: number
  readonly page: number
  readonly find: string
  readonly named: string
}

/** Branches and repositories on a page. */
export const shownChoices = 20

/** Reads what one side can be; private repositories are offered to those who may read their code. */
export async function loadSideChoice(
  ctx: RepoCtx,
  sides: { readonly base: SideNames; readonly head: SideNames; readonly side: SideName },
  query: { readonly of?: string; readonly find?: string; readonly named?: string; readonly page?: number },
): Promise<SideChoice> {
  const find = query.find?.trim() ?? ''
  const named = query.named?.trim() ?? ''
  const number = Math.max(1, query.page ?? 1)
  const of = query.of === undefined ? sides[sides.side] : await findComparedSide(ctx, `${query.of}:`)
  if (!of) throw new NotFound('there is no such repository', 'repo_not_found')
  const [network, branches] = await Promise.all([
    listNetwork(ctx, named, { number: 1, limit: shownChoices, offset: 0 }),
    getBranchPage(
      { db: ctx.db, repo: of.repo },
      { number, limit: shownChoices, offset: (number - 1) * shownChoices },
      find,
    ),
  ])
  return {
    ...sides,
    repos: network.repos,
    hasMoreRepos: network.total > shownChoices,
    of: { repo: of.repo, owner: of.owner },
    branches: branches.branches.map(({ name }) => name),
    total: branches.total,
    page: number,
    find,
    named,
  }
}

/** Returns the path of the comparison in which a branch is the chosen side. */
export function chosenPath(
  { side, base, head }: Pick<SideChoice, 'side' | 'base' | 'head'>,
  branch: SideNames,
): string {
  if (side === 'head') return comparePath(base, branch)
  const isComparable = branch.repo.id === head.repo.id || isRelated(branch.repo, head.repo)
  return comparePath(branch, isComparable ? head : { ...branch, name: branch.repo.default_branch })
}
