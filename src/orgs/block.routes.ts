import { Type } from 'typebox'
import { signedIn } from '../access/requirements.ts'
import { operation } from '../http/operation.ts'
import { paged } from '../http/reply.ts'
import { pageQuery } from '../http/schema.ts'
import { pageOf } from '../lib/paging.ts'
import { presentBlocks } from '../users/social/block.present.ts'
import { BlockedUser } from '../users/social/block.schemas.ts'
import { block, pageOfBlocks, unblock } from '../users/social/block.service.ts'
import { targetUser } from '../users/subject.requirements.ts'
import { inOrg, orgOwner } from './org.requirements.ts'

export const orgListBlockedUsers = operation({
  method: 'GET',
  path: '/orgs/{org}/list_blocked',
  scope: 'organization',
  requires: [inOrg, signedIn, orgOwner],
  query: pageQuery,
  reply: { 200: Type.Array(BlockedUser) },
  async run({ ctx, query }) {
    const page = pageOf(query, ctx.config.api)
    const { blocks, total } = await pageOfBlocks(ctx, ctx.org, page)
    return paged(presentBlocks(blocks), page, total, { link: false })
  },
})

export const orgBlockUser = operation({
  method: 'PUT',
  path: '/orgs/{org}/block/{username}',
  scope: 'organization',
  requires: [inOrg, signedIn, orgOwner, targetUser],
  reply: { 204: 'empty' },
  run: ({ ctx }) => block(ctx, ctx.org, ctx.subject),
})

export const orgUnblockUser = operation({
  method: 'PUT',
  path: '/orgs/{org}/unblock/{username}',
  scope: 'organization',
  requires: [inOrg, signedIn, orgOwner, targetUser],
  reply: { 204: 'empty' },
  run: ({ ctx }) => unblock(ctx, ctx.org, ctx.subject),
})
