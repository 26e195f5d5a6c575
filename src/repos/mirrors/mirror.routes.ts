import { repoUnderQuota } from '../../access/quota/quota.requirements.ts'
import { canWrite, inRepo, notArchived } from '../../access/repo.requirements.ts'
import { signedIn } from '../../access/requirements.ts'
import { operation } from '../../http/operation.ts'
import { requestMirrorSync } from './mirror-sync.service.ts'

export const repoMirrorSync = operation({
  method: 'POST',
  path: '/repos/{username}/{reponame}/mirror-sync',
  cost: 'usual',
  scope: 'repository',
  requires: [inRepo, signedIn, canWrite('code'), notArchived, repoUnderQuota('size:git:all')],
  reply: { 200: 'empty' },
  summary: 'Synchronize a mirror',
  run: ({ ctx }) => requestMirrorSync(ctx, ctx.repo),
})
