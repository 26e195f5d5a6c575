import { siteAdmin, signedIn } from '../../access/requirements.ts'
import { mayIssuePassword } from '../../auth/issue.policy.ts'
import { operation, validBody } from '../../http/operation.ts'
import { created } from '../../http/reply.ts'
import { BadRequest } from '../../lib/errors.ts'
import { sentTime } from '../../lib/time.ts'
import { must } from '../../lib/verdict.ts'
import { presentUser } from '../../users/user.present.ts'
import { CreateUserOption, User } from '../../users/user.schemas.ts'
import { createUser } from '../../users/user.service.ts'
import { mustBeSource } from '../../sources/source.service.ts'

export const adminCreateUser = operation({
  method: 'POST',
  path: '/admin/users',
  cost: 'usual',
  scope: 'admin',
  outlivesCredential: true,
  requires: [signedIn, siteAdmin, validBody],
  body: CreateUserOption,
  reply: { 201: User },
  summary: 'Create an account',
  async run({ ctx, body }) {
    const sourceId = await mustBeSource(ctx, body.source_id)
    // Accounts of other sources need no local password.
    if (!body.password && sourceId === 0) throw new BadRequest('a password is needed', 'password_missing')
    must(mayIssuePassword(ctx.viewer.credential, { isAdmin: false, isStrict: ctx.config.ingot.strictTokens }))
    const user = await createUser(ctx, {
      name: body.username,
      email: body.email,
      password: body.password,
      fullName: body.full_name,
      loginName: sourceId === 0 ? body.login_name : body.login_name || body.username,
      loginSourceId: sourceId,
      mustChangePassword: sourceId === 0 && (body.must_change_password ?? true),
      isRestricted: body.restricted,
      visibility: body.visibility || undefined,
      welcomesByMail: body.send_notify,
      doerId: ctx.viewer.id,
      createdUnix: sentTime(body.created_at, 'created_at'),
    })
    return created(presentUser(ctx, user))
  },
})
