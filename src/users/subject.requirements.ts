import type { Ctx, SubjectCtx } from '../access/context.ts'
import { resolveAccount, resolveSubject } from '../access/named-account.ts'
import type { Requirement } from '../http/operation.ts'
import { pathText } from '../http/schema.ts'
import { Forbidden, NotFound, type Refusal } from '../lib/errors.ts'

const userParams = { username: pathText }

const noUser = () => new NotFound('the user does not exist', 'user_not_found')

/**
 * Resolves the account that `{username}` names. A former name redirects. An account that the caller may not see is answered
 * like a missing one, before a limit of the credential could tell the two apart (contract R4).
 */
export const namedUser: Requirement<Ctx, Pick<SubjectCtx, 'subject'>, typeof userParams> = {
  codes: ['resolve:user', 'publicOnlyCheck'],
  refuses: [403, 404],
  params: userParams,
  async check(ctx, call) {
    const asked = { parameter: 'username', name: call.params.username, missing: noUser }
    return { subject: await resolveSubject(ctx, call, asked, 'users') }
  },
}

/**
 * Resolves the account that `{username}` names, whether the caller may see it or not. A former name redirects.
 * @param missing the answer for a name that nobody has
 */
export const accountOfPath = (
  missing: () => Refusal,
): Requirement<Ctx, Pick<SubjectCtx, 'subject'>, typeof userParams> => ({
  codes: ['resolve:user'],
  refuses: [404],
  params: userParams,
  async check(ctx, call) {
    const asked = { parameter: 'username', name: call.params.username, missing }
    return { subject: await resolveAccount(ctx, call, asked) }
  },
})

/** Resolves the account that the path names as the target of an act, such as following: private ones too (recorded). */
export const targetUser = accountOfPath(noUser)

/** The contract names the check of the visibility by itself at some addresses; `namedUser` makes it at all. */
export const userVisible: Requirement<SubjectCtx, object> = {
  codes: ['userVisible'],
  refuses: [404],
  check: () => ({}),
}

/** The account of the path is the caller's own, or the caller is an administrator. */
export const selfOrAdmin: Requirement<SubjectCtx, object> = {
  codes: ['selfOrAdmin'],
  refuses: [403],
  check({ viewer, subject }) {
    if (!viewer?.isAdmin && viewer?.id !== subject.id) {
      throw new Forbidden('only the account itself or an administrator may do this', 'not_self')
    }
    return {}
  },
}

/** The page of users can be switched off, and searching them with it (`[service.explore].DISABLE_USERS_PAGE`). */
export const usersExploreEnabled: Requirement<Ctx, object> = {
  codes: ['usersExploreEnabled'],
  refuses: [404],
  check({ config }) {
    if (config.serviceExplore.disableUsersPage) {
      throw new NotFound('searching for users is switched off', 'users_page_disabled')
    }
    return {}
  },
}
