import type { RepoCtx } from '../../access/context.ts'
import { recordAct } from '../../audit/audit.ts'
import { transaction } from '../../db/database.ts'
import { customHookNames, type CustomHookName } from '../../git/git-service.ts'
import { NotFound } from '../../lib/errors.ts'

/** A script that git runs on the server for each push; without content there is none. */
export interface StoredGitHook {
  readonly name: CustomHookName
  readonly content: string | undefined
}

/** Returns the hook of a name, or throws `NotFound`. */
export function gitHookNamed(name: string): CustomHookName {
  const known = customHookNames.find((each) => each === name)
  if (!known) throw new NotFound(`there is no hook ${name}`, 'git_hook_not_found')
  return known
}

export const readGitHook = async ({ git, repo }: RepoCtx, name: CustomHookName): Promise<StoredGitHook> => ({
  name,
  content: await git.readCustomHook(repo.git_key, name),
})

export const readGitHooks = (ctx: RepoCtx): Promise<readonly StoredGitHook[]> =>
  Promise.all(customHookNames.map((name) => readGitHook(ctx, name)))

/**
 * Writes a script; undefined removes it, and so does an empty one (observed). The audit entry comes first, so that no script
 * exists without one.
 */
export async function writeGitHook(ctx: RepoCtx, name: CustomHookName, script: string | undefined): Promise<void> {
  const content = script?.trim() ? script : undefined
  await transaction(ctx.db, (tx) =>
    recordAct(tx, {
      action: content === undefined ? 'gitHook.removed' : 'gitHook.written',
      about: { kind: 'git hook', id: null, name },
      details: { repository: ctx.repo.id },
    }),
  )
  await ctx.git.writeCustomHook(ctx.repo.git_key, name, content)
}
