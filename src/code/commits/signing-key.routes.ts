import { inRepo } from '../../access/repo.requirements.ts'
import { bytesOf, operation } from '../../http/operation.ts'
import { bytes } from '../../http/reply.ts'
import { readPublicSigningKey } from '../../site/signing-key.service.ts'

/** The OpenPGP key that signs the instance's commits; empty when there is none (contract, git). */
export const repoSigningKey = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/signing-key.gpg',
  cost: 'usual',
  scope: 'repository',
  requires: [inRepo],
  reply: { 200: bytesOf('text/plain') },
  summary: 'Get the OpenPGP key that signs commits in a repository',
  run: async ({ ctx }) => bytes('text/plain; charset=utf-8', (await readPublicSigningKey(ctx, 'openpgp')) ?? ''),
})
