import { Type } from 'typebox'
import { canRead, gitRepo, inRepo } from '../../access/repo.requirements.ts'
import type { RepoCtx } from '../../access/context.ts'
import type { Ref } from '../../git/git.ts'
import { operation } from '../../http/operation.ts'
import { ok } from '../../http/reply.ts'
import { pathText } from '../../http/schema.ts'
import { NotFound } from '../../lib/errors.ts'
import { escapePath } from '../../lib/escape-url.ts'
import { Reference } from './ref.schemas.ts'
import { repoApiUrl } from '../../repos/repo-url.ts'

/** Most references of one answer. */
const maxRefs = 100_000

/** Every reference whose full name begins so; none at all is `NotFound`. */
async function listRefs(ctx: RepoCtx, prefix: string): Promise<Reference[]> {
  const { refs } = await ctx.git.listRefs(ctx.repo.git_key, { prefix, sort: 'name', limit: maxRefs })
  if (refs.length === 0) throw new NotFound('there are no such references', 'ref_not_found')
  const api = repoApiUrl(ctx)
  return refs.map((ref) => presentRef(api, ref))
}

const presentRef = (api: string, { name, oid, type }: Ref): Reference => ({
  ref: name,
  url: `${api}/git/${escapePath(name)}`,
  object: { type, sha: oid, url: `${api}/git/${type}s/${oid}` },
})

export const repoListAllGitRefs = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/git/refs',
  scope: 'repository',
  requires: [inRepo, gitRepo, canRead('code')],
  reply: { 200: Type.Array(Reference) },
  run: async ({ ctx }) => ok(await listRefs(ctx, 'refs/')),
})

export const repoListGitRefs = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/git/refs/{filepath+}',
  params: { filepath: pathText },
  scope: 'repository',
  requires: [inRepo, gitRepo, canRead('code')],
  reply: { 200: Type.Array(Reference) },
  run: async ({ ctx, params }) => ok(await listRefs(ctx, `refs/${params.filepath}`)),
})
