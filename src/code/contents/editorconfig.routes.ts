import { Type } from 'typebox'
import { canRead, gitRepo, inRepo } from '../../access/repo.requirements.ts'
import { operation } from '../../http/operation.ts'
import { ok } from '../../http/reply.ts'
import { NotFound } from '../../lib/errors.ts'
import { EditorconfigDefinition } from './editorconfig.schemas.ts'
import { getEditorconfig } from './editorconfig.service.ts'
import { repoRef } from '../git-access.requirements.ts'

export const repoGetEditorConfig = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/editorconfig/{filename}',
  cost: 'expensive',
  scope: 'repository',
  requires: [inRepo, gitRepo, repoRef, canRead('code')],
  query: { ref: Type.Optional(Type.String()) },
  reply: { 200: EditorconfigDefinition },
  summary: 'Get the EditorConfig settings of a file',
  async run({ ctx, params }) {
    const { revision } = ctx
    const found = await getEditorconfig(ctx, revision.commit, params.filename)
    if (!found) throw new NotFound(`${revision.name} has no .editorconfig`, 'editorconfig_not_found')
    return ok(found)
  },
})
