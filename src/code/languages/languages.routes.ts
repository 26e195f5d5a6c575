import { canRead, inRepo } from '../../access/repo.requirements.ts'
import { operation } from '../../http/operation.ts'
import { ok } from '../../http/reply.ts'
import { LanguageStatistics } from './languages.schemas.ts'
import { getLanguages } from './languages.service.ts'

export const repoGetLanguages = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/languages',
  scope: 'repository',
  cost: 'expensive',
  requires: [inRepo, canRead('code')],
  reply: { 200: LanguageStatistics },
  summary: 'Get the languages of a repository in bytes',
  run: async ({ ctx }) => ok(await getLanguages(ctx)),
})
