import { Type } from 'typebox'
import { gitRepo, inRepo, repoAdmin } from '../../access/repo.requirements.ts'
import { signedIn } from '../../access/requirements.ts'
import { operation, validBody } from '../../http/operation.ts'
import { ok } from '../../http/reply.ts'
import { EditGitHookOption, GitHook } from './git-hook.schemas.ts'
import { gitHookEditor } from './git-hook.requirements.ts'
import { gitHookNamed, readGitHook, readGitHooks, writeGitHook, type StoredGitHook } from './git-hook.service.ts'

const presentHook = ({ name, content }: StoredGitHook): GitHook => ({
  name,
  is_active: content !== undefined,
  ...(content === undefined ? {} : { content }),
})

export const repoListGitHooks = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/hooks/git',
  cost: 'usual',
  scope: 'repository',
  requires: [inRepo, signedIn, repoAdmin, gitHookEditor, gitRepo],
  reply: { 200: Type.Array(GitHook) },
  summary: 'List the Git hooks',
  run: async ({ ctx }) => ok((await readGitHooks(ctx)).map(presentHook)),
})

export const repoGetGitHook = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/hooks/git/{id}',
  cost: 'usual',
  scope: 'repository',
  requires: [inRepo, signedIn, repoAdmin, gitHookEditor, gitRepo],
  reply: { 200: GitHook },
  summary: 'Get a Git hook',
  run: async ({ ctx, params }) => ok(presentHook(await readGitHook(ctx, gitHookNamed(params.id)))),
})

export const repoEditGitHook = operation({
  method: 'PATCH',
  path: '/repos/{username}/{reponame}/hooks/git/{id}',
  cost: 'usual',
  scope: 'repository',
  outlivesCredential: true,
  requires: [inRepo, signedIn, repoAdmin, gitHookEditor, gitRepo, validBody],
  body: EditGitHookOption,
  reply: { 200: GitHook },
  summary: 'Edit a Git hook',
  async run({ ctx, params, body }) {
    const name = gitHookNamed(params.id)
    await writeGitHook(ctx, name, body.content)
    return ok(presentHook(await readGitHook(ctx, name)))
  },
})

export const repoDeleteGitHook = operation({
  method: 'DELETE',
  path: '/repos/{username}/{reponame}/hooks/git/{id}',
  cost: 'usual',
  scope: 'repository',
  requires: [inRepo, signedIn, repoAdmin, gitHookEditor, gitRepo],
  reply: { 204: 'empty' },
  summary: 'Delete a Git hook',
  run: ({ ctx, params }) => writeGitHook(ctx, gitHookNamed(params.id), undefined),
})
