import { inRepo } from '../../access/repo.requirements.ts'
import { bytesOf, operation } from '../../http/operation.ts'
import { bytes } from '../../http/reply.ts'

/** The key that the instance signs commits with; there is none, which an empty text says (contract, git). */
export const repoSigningKey = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/signing-key.gpg',
  scope: 'repository',
  requires: [inRepo],
  reply: { 200: bytesOf('text/plain') },
  run: () => Promise.resolve(bytes('text/plain; charset=utf-8', '')),
})
