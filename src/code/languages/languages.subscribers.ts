import type { Ctx } from '../../access/context.ts'
import { transaction, type Db } from '../../db/database.ts'
import { subscriber } from '../../events/subscriber.ts'
import type { Oid, RepoId } from '../../lib/ids.ts'
import { branchRef } from '../../lib/refs.ts'
import { findRepoById } from '../../repos/repo.store.ts'
import { countChangedLanguages, countLanguagesOf } from './count-languages.service.ts'
import { listLanguages, replaceLanguages } from './languages.store.ts'

const languagesOf = async (db: Db, repoId: RepoId): Promise<ReadonlyMap<string, number>> =>
  new Map((await listLanguages(db, repoId)).map(({ language, size_bytes }) => [language, size_bytes]))

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
    const last = repo.languages_commit
    const changed =
      head !== undefined && last !== ''
        ? await countChangedLanguages(ctx, repo, head, {
            commit: last as Oid,
            bytes: await languagesOf(ctx.db, repo.id),
          })
        : undefined
    const bytes = changed ?? (await countLanguagesOf(ctx, repo, head))
    await transaction(ctx.db, (tx) => replaceLanguages(tx, repo.id, head ?? '', bytes))
  },
})
