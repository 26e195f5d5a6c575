import { getPublicRepo } from './subject.service.ts'
import type { Ctx, RepoCtx, SubjectCtx } from '../../access/context.ts'
import type { Requirement } from '../../http/operation.ts'
import { pathNumber } from '../../http/schema.ts'
import { NotFound } from '../../lib/errors.ts'
import type { RepoId, UserId } from '../../lib/ids.ts'
import { findUserById } from '../../users/user.store.ts'
import { findFederatedAccount } from '../peers/account.store.ts'

const userParams = { 'user-id': pathNumber }

/** Resolves an account by its id. */
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

/** The account is local and public (contract); any other account is answered like a missing one. */
export const isPublicLocal: Requirement<SubjectCtx, object> = {
  codes: ['publicOnlyCheck'],
  refuses: [404],
  async check({ db, subject }) {
    if (subject.visibility !== 'public') throw new NotFound('the user does not exist', 'user_not_found')
    if (await findFederatedAccount(db, subject.id)) {
      throw new NotFound('the account belongs to another server', 'user_not_found')
    }
    return {}
  },
}

const repoParams = { 'repository-id': pathNumber }

/** Resolves a public repository by its id. */
export const repositoryOfId: Requirement<Ctx, Omit<RepoCtx, keyof Ctx>, typeof repoParams> = {
  codes: ['resolve:repositoryId'],
  refuses: [404],
  params: repoParams,
  check: (ctx, call) => getPublicRepo(ctx, call.params['repository-id'] as RepoId),
}
