import { Type } from 'typebox'
import type { Ctx } from '../access/context.ts'
import { job } from '../jobs/job.ts'
import type { RepoId } from '../lib/ids.ts'
import { findRepoById } from '../repos/repo.store.ts'
import { indexWiki } from './page-history.service.ts'
import { wikiOfRepo } from './wiki-repository.service.ts'

/** Updates the index of page histories. Changes that arrive while a job waits are indexed together. */
export const indexWikiPages = job({
  name: 'indexWikiPages',
  pool: 'git',
  input: Type.Object({ repoId: Type.Unsafe<RepoId>(Type.Integer()) }),
  merge: ({ repoId }) => String(repoId),
  lane: ({ repoId }) => `wiki index ${repoId}`,
  async run(ctx: Ctx, { repoId }) {
    const repo = await findRepoById(ctx.db, repoId)
    const wiki = repo && (await wikiOfRepo(ctx, repo))
    if (wiki) await indexWiki(ctx, wiki)
  },
})
