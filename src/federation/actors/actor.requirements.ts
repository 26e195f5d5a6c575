import { resolveAccessOf } from './subject.service.ts'
import type { Ctx, RepoCtx, SubjectCtx } from '../../access/context.ts'
import type { Requirement } from '../../http/operation.ts'
import { pathNumber } from '../../http/schema.ts'
import { NotFound } from '../../lib/errors.ts'
import type { RepoId, UserId } from '../../lib/ids.ts'
import { findUserById } from '../../users/user.store.ts'
import { findFederatedAccount } from '../peers/account.store.ts'

const userParams = { 'user-id': pathNumber }

/** The account of an id. Those of other servers have their actors there. */
export const userOfId: Requirement<Ctx, Pick<SubjectCtx, 'subject'>, typeof userParams> = {
  codes: ['resolve:userId'],
  refuses: [404],
  params: userParams,
  async check({ db }, call) {
    const subject = await findUserById(db, call.params['user-id'] as UserId)
    if (!subject) throw new NotFound('the user does not exist', 'user_not_found')
    return { subject }
  },
}

/**
 * The account belongs to this instance and is public: other servers act for nobody in particular (contract). Any other
 * account is answered like a missing one.
 */
export const knownEverywhere: Requirement<SubjectCtx, object> = {
  codes: ['publicOnlyCheck'],
  refuses: [404],
  async check({ db, subject }) {
    if (subject.visibility !== 'public') throw new NotFound('the user does not exist', 'user_not_found')
    if (await findFederatedAccount(db, subject.id)) {
      throw new NotFound('the account is one of another server', 'user_not_found')
    }
    return {}
  },
}

const repoParams = { 'repository-id': pathNumber }

/** The repository of an id. Private ones are not there for other servers. */
export const repositoryOfId: Requirement<Ctx, Omit<RepoCtx, keyof Ctx>, typeof repoParams> = {
  codes: ['resolve:repositoryId'],
  refuses: [404],
  params: repoParams,
  check: (ctx, call) => resolveAccessOf(ctx, call.params['repository-id'] as RepoId),
}
