import { Type } from 'typebox'
import { canRead, gitRepo, inRepo } from '../../access/repo.requirements.ts'
import type { RepoCtx } from '../../access/context.ts'
import type { Ref } from '../../git/git.ts'
import { operation } from '../../http/operation.ts'
import { headersOfCut, ok, type Reply } from '../../http/reply.ts'
import { NotFound } from '../../lib/errors.ts'
import { escapePath } from '../../lib/escape-url.ts'
import { Reference } from './ref.schemas.ts'
import { repoApiUrl } from '../../repos/repo-url.ts'

/** Most references of one answer. */
const maxRefs = 100_000

/** Answers the references whose full name begins with a prefix. Throws `NotFound` when there are none. */
async function answerRefs(ctx: RepoCtx, prefix: string): Promise<Reply<200, Reference[]>> {
  const { refs, total } = await ctx.git.listRefs(ctx.repo.git_key, { prefix, sort: 'name', limit: maxRefs })
  if (refs.length === 0) throw new NotFound('there are no such references', 'ref_not_found')
  const api = repoApiUrl(ctx)
  const presented = refs.map((ref) => presentRef(api, ref))
  return ok(presented, headersOfCut(total > refs.length))
}

const presentRef = (api: string, { name, oid, type }: Ref): Reference => ({
  ref: name,
  url: `${api}/git/${escapePath(name)}`,
  object: { type, sha: oid, url: `${api}/git/${type}s/${oid}` },
})

export const repoListAllGitRefs = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/git/refs',
  cost: 'usual',
  scope: 'repository',
  requires: [inRepo, gitRepo, canRead('code')],
  reply: { 200: Type.Array(Reference) },
  summary: 'List the references',
  run: ({ ctx }) => answerRefs(ctx, 'refs/'),
})

export const repoListGitRefs = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/git/refs/{filepath+}',
  cost: 'usual',
  scope: 'repository',
  requires: [inRepo, gitRepo, canRead('code')],
  reply: { 200: Type.Array(Reference) },
  summary: 'List the references below a name',
  run: ({ ctx, params }) => answerRefs(ctx, `refs/${params.filepath}`),
})
