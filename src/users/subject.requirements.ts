import type { Ctx, SubjectCtx } from '../access/context.ts'
import { resolveAccount, resolveSubject } from '../access/named-account.ts'
import type { Requirement } from '../http/operation.ts'
import { pathText } from '../http/schema.ts'
import { Forbidden, NotFound, type Refusal } from '../lib/errors.ts'

const userParams = { username: pathText }

const noUser = () => new NotFound('the user does not exist', 'user_not_found')

/**
 * Resolves the account of `{username}`. A former name redirects. An invisible account is answered like a missing one,
 * before a limit of the credential could reveal it (contract R4).
 */
export const namedUser: Requirement<Ctx, Pick<SubjectCtx, 'subject'>, typeof userParams> = {
  codes: ['resolve:user', 'publicOnlyCheck'],
  refuses: [403, 404],
  params: userParams,
  async check(ctx, call) {
    const parameter = { parameter: 'username', name: call.params.username, missing: noUser }
    return { subject: await resolveSubject(ctx, call, parameter, 'users') }
  },
}

/**
 * Resolves the account of `{username}`, visible or not. A former name redirects.
 * @param missing the refusal for an unknown name
 */
export const accountOfPath = (
  missing: () => Refusal,
): Requirement<Ctx, Pick<SubjectCtx, 'subject'>, typeof userParams> => ({
  codes: ['resolve:user'],
  refuses: [404],
  params: userParams,
  async check(ctx, call) {
    const parameter = { parameter: 'username', name: call.params.username, missing }
    return { subject: await resolveAccount(ctx, call, parameter) }
  },
})

/** Resolves the account as the target of an action such as following; private accounts are included (recorded). */
export const targetUser = accountOfPath(noUser)

/** The contract lists this check separately at some addresses; `namedUser` always performs it. */
export const userVisible: Requirement<SubjectCtx, object> = {
  codes: ['userVisible'],
  refuses: [404],
  check: () => ({}),
}

/** Requires that the account of the path is the caller's own, or that the caller is an administrator. */
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

/** `[service.explore].DISABLE_USERS_PAGE` turns off the list of users and its search. */
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
