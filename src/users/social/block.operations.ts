import { Type } from 'typebox'
import type { SignedInCtx } from '../../access/context.ts'
import { anyHolder, type Holder } from '../../access/holder.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import { operation, type AnyRequirement } from '../../http/operation.ts'
import { paged } from '../../http/reply.ts'
import { pageQuery } from '../../http/schema.ts'
import { pageOf } from '../../lib/paging.ts'
import { targetUser } from '../subject.requirements.ts'
import { presentBlocks } from './block.present.ts'
import { BlockedUser } from './block.schemas.ts'
import { block, pageOfBlocks, unblock } from './block.service.ts'

interface Blocker extends Pick<SignedInCtx, 'viewer'> {
  readonly account: UserRow
}

/** Declares the operations of the people whom an account or an organization blocks. */
export function blockOperations<const Rs extends readonly AnyRequirement[]>(holder: Holder<Rs, Blocker>) {
  const { path, scope, requires, ownerOf } = anyHolder(holder)
  const list = operation({
    method: 'GET',
    path: `${path}/list_blocked`,
    cost: 'usual',
    scope,
    requires,
    query: pageQuery,
    reply: { 200: Type.Array(BlockedUser) },
    summary: 'List the blocked accounts',
    async run({ ctx, query }) {
      const page = pageOf(query, ctx.config.api)
      const { blocks, total } = await pageOfBlocks(ctx, ownerOf(ctx).account, page)
      return paged(presentBlocks(blocks), page, total, { link: false })
    },
  })
  const put = operation({
    method: 'PUT',
    path: `${path}/block/{username}`,
    cost: 'usual',
    scope,
    requires: [...requires, targetUser],
    refuses: [422],
    reply: { 204: 'empty' },
    summary: 'Block an account',
    async run({ ctx }) {
      const { viewer, account } = ownerOf(ctx)
      await block({ ...ctx, viewer }, account, ctx.subject)
    },
  })
  const end = operation({
    method: 'PUT',
    path: `${path}/unblock/{username}`,
    cost: 'usual',
    scope,
    requires: [...requires, targetUser],
    refuses: [422],
    reply: { 204: 'empty' },
    summary: 'Unblock an account',
    async run({ ctx }) {
      const { viewer, account } = ownerOf(ctx)
      await unblock({ ...ctx, viewer }, account, ctx.subject)
    },
  })
  return { list, put, end }
}
