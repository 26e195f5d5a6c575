import { canRead, inRepo } from '../access/repo.requirements.ts'
import { operation } from '../http/operation.ts'
import { ok } from '../http/reply.ts'
import { LanguageStatistics } from './languages.schemas.ts'
import { listLanguages } from './languages.store.ts'

export const repoGetLanguages = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/languages',
  scope: 'repository',
  requires: [inRepo, canRead('code')],
  reply: { 200: LanguageStatistics },
  async run({ ctx }) {
    const rows = await listLanguages(ctx.db, ctx.repo.id)
    return ok(Object.fromEntries(rows.map((row) => [row.language, row.size_bytes])))
  },
})
