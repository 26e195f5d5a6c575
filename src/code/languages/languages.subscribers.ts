import type { Ctx } from '../../access/context.ts'
import { transaction } from '../../db/database.ts'
import { subscriber } from '../../events/subscriber.ts'
import { branchRef } from '../../lib/refs.ts'
import { findRepoById } from '../../repos/repo.store.ts'
import { countLanguagesOf } from './count-languages.service.ts'
import { replaceLanguages } from './languages.store.ts'

/**
 * Counts the languages of a repository when its default branch may have moved. Waiting runs of one repository are
 * merged.
 */
export const countRepoLanguages = subscriber({
  name: 'countRepoLanguages',
  pool: 'render',
  on: ['repo.created', 'repo.forked', 'repo.updated', 'branch.renamed', 'refs.updated'],
  merge: ({ data }) => String(data.repoId),
  lane: ({ data }) => `languages ${data.repoId}`,
  // An empty repository has nothing to count.
  isNeeded: async (tx, { data }) => {
    const repo = await findRepoById(tx, data.repoId)
    return repo === undefined || !repo.is_empty || repo.languages_commit !== ''
  },
  async afterCommit(ctx: Ctx, { data }) {
    const repo = await findRepoById(ctx.db, data.repoId)
    if (!repo) return
    const head = await ctx.git.readRef(repo.git_key, branchRef(repo.default_branch))
    if ((head ?? '') === repo.languages_commit) return
    const bytes = await countLanguagesOf(ctx, repo, head)
    await transaction(ctx.db, (tx) => replaceLanguages(tx, repo.id, head ?? '', bytes))
  },
})
