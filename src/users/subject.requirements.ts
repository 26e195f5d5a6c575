import { findAccountByFormerName, findAccountByName, isOrgMember } from '../access/access.store.ts'
import type { Ctx, SubjectCtx } from '../access/context.ts'
import { refuseWithheld } from '../access/requirements.ts'
import { maySeeAccount } from '../access/rights.ts'
import { movedUrl } from '../http/moved-url.ts'
import type { Requirement } from '../http/operation.ts'
import { pathText } from '../http/schema.ts'
import { Forbidden, Moved, NotFound } from '../lib/errors.ts'

const userParams = { username: pathText }

/** The account that `{username}` names; a former name answers 307 with the address under the new one. */
const resolveUser = (
  codes: readonly string[],
  publicOnly: boolean,
): Requirement<Ctx, Pick<SubjectCtx, 'subject'>, typeof userParams> => ({
  codes,
  refuses: publicOnly ? [403, 404] : [404],
  params: userParams,
  async check({ db, viewer }, call) {
    const name = call.params.username
    const subject = await findAccountByName(db, name.toLowerCase())
    if (!subject) {
      const renamed = await findAccountByFormerName(db, name.toLowerCase())
      if (!renamed) throw new NotFound('the user does not exist', 'user_not_found')
      throw new Moved(307, movedUrl(call, { username: renamed.name }))
    }
    if (publicOnly) refuseWithheld(viewer, subject, 'users')
    return { subject }
  },
})

/** The account of the path, with the check of tokens that see public things only. */
export const namedUser = resolveUser(['resolve:user', 'publicOnlyCheck'], true)

/** The account that the path names as the target of what is done, such as whom to follow or block. */
export const targetUser = resolveUser(['resolve:user'], false)

/** Private accounts are there for themselves and administrators alone, limited ones for the signed-in (contract R4). */
export const userVisible: Requirement<SubjectCtx, object> = {
  codes: ['userVisible'],
  refuses: [404],
  async check({ viewer, subject, db }) {
    const isMember =
      viewer !== undefined &&
      subject.kind === 'organization' &&
      subject.visibility !== 'public' &&
      (await isOrgMember(db, subject.id, viewer.id))
    if (!maySeeAccount(viewer, subject, isMember)) throw new NotFound('the user does not exist', 'user_not_found')
    return {}
  },
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
