import type { Ctx } from '../../access/context.ts'
import { transaction } from '../../db/database.ts'
import { subscriber } from '../../events/subscriber.ts'
import { branchRef } from '../../lib/refs.ts'
import { attributesOfTree } from '../contents/attributes.service.ts'
import { loadLanguages } from './language-table.ts'
import { countLanguages } from './languages.rules.ts'
import { replaceLanguages } from './languages.store.ts'
import { findRepoById } from '../../repos/repo.store.ts'

/** Most files of a tree that are counted; a larger one is counted in part. */
const maxFiles = 500_000

/** The languages of a repository, when its default branch may have moved. Changes that come while one waits are counted together. */
export const countRepoLanguages = subscriber({
  name: 'countRepoLanguages',
  pool: 'render',
  on: ['repo.created', 'repo.forked', 'repo.updated', 'branch.renamed', 'refs.updated'],
  merge: ({ data }) => String(data.repoId),
  lane: ({ data }) => `languages ${data.repoId}`,
  async afterCommit(ctx: Ctx, { data }) {
    const repo = await findRepoById(ctx.db, data.repoId)
    if (!repo) return
    const { git } = ctx
    const key = repo.git_key
    const head = await git.readRef(key, branchRef(repo.default_branch))
    if ((head ?? '') === repo.languages_commit) return
    const { entries } = head
      ? await git.listTreeRecursive(key, head, { limit: maxFiles, sizes: true })
      : { entries: [] }
    const files = entries
      .filter((entry) => entry.type === 'blob' && entry.mode !== '120000')
      .map((entry) => ({ path: entry.path, sizeBytes: entry.sizeBytes ?? 0 }))
    const bytes = countLanguages(await loadLanguages(), files, await attributesOfTree(git, key, entries))
    await transaction(ctx.db, (tx) => replaceLanguages(tx, repo.id, head ?? '', bytes))
  },
})
