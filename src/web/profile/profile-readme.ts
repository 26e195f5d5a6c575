import type { Ctx } from '../../access/context.ts'
import { resolveRepo } from '../../access/resolve-repo.ts'
import { revisionOrDefault } from '../../code/commits/named-commit.service.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import { Moved, NotFound } from '../../lib/errors.ts'
import { renderFileText } from '../../site/render.service.ts'

/** Larger texts are not shown, in bytes. */
const maxBytes = 256 * 1024
const repoName = '.profile'
const fileName = 'README.md'

/** Returns the README of the account's `.profile` repository as sanitised HTML; undefined without a readable one. */
export async function readProfileReadme(ctx: Ctx, owner: UserRow): Promise<string | undefined> {
  try {
    const repoCtx = { ...ctx, ...(await resolveRepo(ctx, owner.name, repoName, () => '')) }
    const { git, repo, rights } = repoCtx
    if (!rights.canRead('code') || repo.is_empty) return undefined
    const revision = await revisionOrDefault(repoCtx, repo.default_branch)
    const entry = await git.findPath(repo.git_key, revision.commit, fileName)
    if (entry?.type !== 'blob') return undefined
    const { content } = await git.readBlob(repo.git_key, entry.oid, { maxBytes })
    if (!content) return undefined
    const context = {
      context: `/${owner.name}/${repo.name}`,
      branchPath: `branch/${repo.default_branch}`,
      isForPage: true,
    }
    return await renderFileText(repoCtx, content.toString(), fileName, context, repoCtx)
  } catch (error) {
    // A profile needs no such repository, and it may have been renamed.
    if (error instanceof NotFound || error instanceof Moved) return undefined
    throw error
  }
}
