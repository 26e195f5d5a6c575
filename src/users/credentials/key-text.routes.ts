import { exploreSignIn } from '../../access/requirements.ts'
import { bytesOf, operation } from '../../http/operation.ts'
import { bytes } from '../../http/reply.ts'
import { namedUser, userVisible } from '../subject.requirements.ts'
import { gpgKeysText, sshKeysText } from './key-text.service.ts'

/** Routes for provisioning programs that fetch keys by account name. */
const keyText = {
  method: 'GET',
  base: 'site',
  family: 'downloads',
  scope: 'user',
  requires: [exploreSignIn, namedUser, userVisible],
  reply: { 200: bytesOf('text/plain') },
} as const

export const userSshKeysText = operation({
  ...keyText,
  path: '/{username}.keys',
  cost: 'usual',
  summary: 'The SSH keys of an account, one a line',
  run: async ({ ctx }) => bytes('text/plain; charset=utf-8', await sshKeysText(ctx, ctx.subject)),
})

export const userGpgKeysText = operation({
  ...keyText,
  path: '/{username}.gpg',
  cost: 'usual',
  summary: 'The OpenPGP keys of an account',
  run: async ({ ctx }) => bytes('text/plain; charset=utf-8', await gpgKeysText(ctx, ctx.subject)),
})
