import type { RepoCtx } from '../../access/context.ts'
import { getBranchPage } from './branch.service.ts'
import { getTagPage } from './tag.service.ts'

/** Branches and tags that a menu offers each; others are on pages of their own. */
const offered = 20

export interface RefChoice {
  /** Newest first. */
  readonly branches: readonly string[]
  readonly branchCount: number
  readonly tags: readonly string[]
  readonly tagCount: number
}

/** Returns the branches and tags that a menu offers. */
export async function getRefChoice(ctx: Pick<RepoCtx, 'db' | 'repo'>): Promise<RefChoice> {
  const page = { number: 1, limit: offered, offset: 0 }
  const [branches, tags] = await Promise.all([getBranchPage(ctx, page), getTagPage(ctx, page)])
  return {
    branches: branches.branches.map(({ name }) => name),
    branchCount: branches.total,
    tags: tags.tags.map(({ name }) => name),
    tagCount: tags.total,
  }
}
