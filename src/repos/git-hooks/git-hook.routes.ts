import { Type } from 'typebox'
import { gitRepo, inRepo, repoAdmin } from '../../access/repo.requirements.ts'
import { signedIn } from '../../access/requirements.ts'
import type { RepoCtx, SignedInCtx } from '../../access/context.ts'
import { customHookNames, type CustomHookName } from '../../git/git.ts'
import { operation, validBody, type Requirement } from '../../http/operation.ts'
import { noContent, ok } from '../../http/reply.ts'
import { pathText } from '../../http/schema.ts'
import { Forbidden, NotFound } from '../../lib/errors.ts'
import { EditGitHookOption, GitHook } from './git-hook.schemas.ts'
import { writeGitHook } from './git-hook.service.ts'

/** `gitHookEditor`: instance administrators and accounts with the permission, unless the settings disable git hooks. */
const gitHookEditor: Requirement<SignedInCtx, object> = {
  codes: ['gitHookEditor'],
  refuses: [403],
  check({ viewer, config }) {
    if (config.security.disableGitHooks || !(viewer.isAdmin || viewer.user.allow_git_hook)) {
      throw new Forbidden('you may not edit scripts of repositories', 'git_hooks_forbidden')
    }
    return {}
  },
}

/** Returns the hook of a name, or throws `NotFound`. */
function getHookName(name: string): CustomHookName {
  const known = customHookNames.find((each) => each === name)
  if (!known) throw new NotFound(`there is no hook ${name}`, 'git_hook_not_found')
  return known
}

async function presentHook(ctx: RepoCtx, name: CustomHookName): Promise<GitHook> {
  const content = await ctx.git.readCustomHook(ctx.repo.git_key, name)
  return { name, is_active: content !== undefined, ...(content === undefined ? {} : { content }) }
}

export const repoListGitHooks = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/hooks/git',
  scope: 'repository',
  requires: [inRepo, signedIn, repoAdmin, gitHookEditor, gitRepo],
  reply: { 200: Type.Array(GitHook) },
  run: async ({ ctx }) => ok(await Promise.all(customHookNames.map((name) => presentHook(ctx, name)))),
})

export const repoGetGitHook = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/hooks/git/{id}',
  params: { id: pathText },
  scope: 'repository',
  requires: [inRepo, signedIn, repoAdmin, gitHookEditor, gitRepo],
  reply: { 200: GitHook },
  run: async ({ ctx, params }) => ok(await presentHook(ctx, getHookName(params.id))),
})

export const repoEditGitHook = operation({
  method: 'PATCH',
  path: '/repos/{username}/{reponame}/hooks/git/{id}',
  params: { id: pathText },
  scope: 'repository',
  outlivesCredential: true,
  requires: [inRepo, signedIn, repoAdmin, gitHookEditor, gitRepo, validBody],
  body: EditGitHookOption,
  reply: { 200: GitHook },
  async run({ ctx, params, body }) {
    const name = getHookName(params.id)
    // An empty script removes the hook (observed).
    await writeGitHook(ctx, name, body.content?.trim() ? body.content : undefined)
    return ok(await presentHook(ctx, name))
  },
})

export const repoDeleteGitHook = operation({
  method: 'DELETE',
  path: '/repos/{username}/{reponame}/hooks/git/{id}',
  params: { id: pathText },
  scope: 'repository',
  requires: [inRepo, signedIn, repoAdmin, gitHookEditor, gitRepo],
  reply: { 204: 'empty' },
  async run({ ctx, params }) {
    await writeGitHook(ctx, getHookName(params.id), undefined)
    return noContent()
  },
})
