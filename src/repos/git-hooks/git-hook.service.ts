import type { RepoCtx } from '../../access/context.ts'
import { recordAct } from '../../audit/audit.ts'
import { transaction } from '../../db/database.ts'
import type { CustomHookName } from '../../git/git.ts'

/**
 * Writes a script that git runs on the server when somebody pushes; undefined removes it. It is written down first, so that
 * no script is there of which the audit log does not know.
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
