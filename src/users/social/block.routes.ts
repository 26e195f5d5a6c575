import { Type } from 'typebox'
import { signedIn } from '../../access/requirements.ts'
import { operation } from '../../http/operation.ts'
import { paged } from '../../http/reply.ts'
import { pageQuery } from '../../http/schema.ts'
import { pageOf } from '../../lib/paging.ts'
import { presentBlocks } from './block.present.ts'
import { BlockedUser } from './block.schemas.ts'
import { block, pageOfBlocks, unblock } from './block.service.ts'
import { targetUser } from '../subject.requirements.ts'

export const userListBlockedUsers = operation({
  method: 'GET',
  path: '/user/list_blocked',
  scope: 'user',
  requires: [signedIn],
  query: pageQuery,
  reply: { 200: Type.Array(BlockedUser) },
  async run({ ctx, query }) {
    const page = pageOf(query, ctx.config.api)
    const { blocks, total } = await pageOfBlocks(ctx, ctx.viewer.user, page)
    return paged(presentBlocks(blocks), page, total, { link: false })
  },
})

export const userBlockUser = operation({
  method: 'PUT',
  path: '/user/block/{username}',
  scope: 'user',
  requires: [signedIn, targetUser],
  reply: { 204: 'empty' },
  run: ({ ctx }) => block(ctx, ctx.viewer.user, ctx.subject),
})

export const userUnblockUser = operation({
  method: 'PUT',
  path: '/user/unblock/{username}',
  scope: 'user',
  requires: [signedIn, targetUser],
  reply: { 204: 'empty' },
  run: ({ ctx }) => unblock(ctx, ctx.viewer.user, ctx.subject),
})
