import { Type } from 'typebox'
import { signedIn } from '../access/requirements.ts'
import { operation, validBody } from '../http/operation.ts'
import { created, ok } from '../http/reply.ts'
import { presentEmail } from './email.present.ts'
import { CreateEmailOption, DeleteEmailOption, Email } from './email.schemas.ts'
import { addEmails, emailsOf, removeEmails } from './email.service.ts'

export const userListEmails = operation({
  method: 'GET',
  path: '/user/emails',
  cost: 'usual',
  scope: 'user',
  requires: [signedIn],
  reply: { 200: Type.Array(Email) },
  summary: 'List the own mail addresses',
  run: async ({ ctx }) => ok((await emailsOf(ctx, ctx.viewer.user)).map(presentEmail)),
})

export const userAddEmail = operation({
  method: 'POST',
  path: '/user/emails',
  cost: 'usual',
  scope: 'user',
  outlivesCredential: true,
  requires: [signedIn, validBody],
  body: CreateEmailOption,
  reply: { 201: Type.Array(Email) },
  summary: 'Add mail addresses',
  async run({ ctx, body, call }) {
    const { user } = ctx.viewer
    const emails = await addEmails(ctx, user, body.emails ?? [], { ip: call.ip, language: user.language })
    return created(emails.map(presentEmail))
  },
})

export const userDeleteEmail = operation({
  method: 'DELETE',
  path: '/user/emails',
  cost: 'usual',
  scope: 'user',
  requires: [signedIn, validBody],
  refuses: [404],
  body: DeleteEmailOption,
  reply: { 204: 'empty' },
  summary: 'Delete mail addresses',
  run: ({ ctx, body }) => removeEmails(ctx, ctx.viewer.user, body.emails ?? []),
})
