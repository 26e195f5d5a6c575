import type { RepoCtx } from '../../access/context.ts'
import { recordAct } from '../../audit/audit.ts'
import { transaction } from '../../db/database.ts'
import type { CustomHookName } from '../../git/git.ts'

/**
 * Writes a script that git runs on the server for each push; undefined removes it. The audit entry comes first, so
 * that no script exists without one.
 */
export async function writeGitHook(ctx: RepoCtx, name: CustomHookName, content: string | undefined): Promise<void> {
  await transaction(ctx.db, (tx) =>
    recordAct(tx, {
      action: content === undefined ? 'gitHook.removed' : 'gitHook.written',
      about: { kind: 'git hook', id: null, name },
      details: { repository: ctx.repo.id },
    }),
  )
  await ctx.git.writeCustomHook(ctx.repo.git_key, name, content)
}
