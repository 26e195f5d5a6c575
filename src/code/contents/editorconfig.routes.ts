import { Type } from 'typebox'
import { canRead, gitRepo, inRepo } from '../../access/repo.requirements.ts'
import { operation } from '../../http/operation.ts'
import { ok } from '../../http/reply.ts'
import { NotFound } from '../../lib/errors.ts'
import { editorconfigOf } from './editorconfig.rules.ts'
import { EditorconfigDefinition } from './editorconfig.schemas.ts'
import { repoRef } from '../git-access.requirements.ts'

/** Largest `.editorconfig`, in bytes. */
const maxFileBytes = 256 * 1024

export const repoGetEditorConfig = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/editorconfig/{filename}',
  scope: 'repository',
  requires: [inRepo, gitRepo, repoRef, canRead('code')],
  query: { ref: Type.Optional(Type.String()) },
  reply: { 200: EditorconfigDefinition },
  async run({ ctx, params }) {
    const { git, repo, revision } = ctx
    const entry = await git.findPath(repo.git_key, revision.commit, '.editorconfig')
    if (entry?.type !== 'blob') throw new NotFound(`${revision.name} has no .editorconfig`, 'editorconfig_not_found')
    const { content } = await git.readBlob(repo.git_key, entry.oid, { maxBytes: maxFileBytes })
    return ok(editorconfigOf(content?.toString('utf8') ?? '', params.filename))
  },
})
