import { pageQuery } from '../../http/schema.ts'
import { pageOf } from '../../lib/paging.ts'
import { inOrg, orgOwner } from '../../orgs/org.requirements.ts'
import { block, pageOfBlockedPeople, unblock } from '../../users/social/block.service.ts'
import { blockedTexts as texts } from '../languages/texts.ts'
import { BlockedView } from '../shared/blocked/blocked.view.tsx'
import { inSession } from '../shell/browser.requirements.ts'
import { act, nothingTyped, page } from '../shell/page.tsx'
import { personNamed } from './person-named.ts'
import { inOrgSettings, orgSettingsMeta, orgSettingsPath } from './settings-frame.tsx'
import { textUpTo } from '../ui/fields.ts'

const fields = { name: textUpTo(255) }

/** Shows the people that an organization blocks. */
export const orgBlockedPage = page({
  path: '/org/{org}/settings/blocked_users',
  twin: 'orgListBlockedUsers',
  cost: 'usual',
  requires: [inSession, inOrg, orgOwner],
  query: pageQuery,
  frame: inOrgSettings('blocked'),
  async load({ ctx, query }) {
    const at = pageOf(query, ctx.config.api)
    const { people, total } = await pageOfBlockedPeople(ctx, ctx.org, at)
    const [path, lead] = [orgSettingsPath(ctx, 'blocked'), texts.leadOf(ctx.org.name)]
    return { people, total, page: at.number, pageSize: at.limit, path, lead }
  },
  meta: (_data, { ctx }) => orgSettingsMeta('blocked', ctx),
  view: BlockedView,
})

export const orgBlockSubmit = act({
  path: '/org/{org}/settings/blocked_users',
  twin: 'orgBlockUser',
  cost: 'usual',
  requires: [inOrg, orgOwner],
  fields,
  again: orgBlockedPage,
  async run({ ctx, body }) {
    const person = await personNamed(ctx, body.name, 'name')
    await block(ctx, ctx.org, person)
    return { to: orgSettingsPath(ctx, 'blocked'), notice: texts.done(person.name) }
  },
})

export const orgUnblockSubmit = act({
  path: '/org/{org}/settings/blocked_users/unblock',
  twin: 'orgUnblockUser',
  cost: 'usual',
  requires: [inOrg, orgOwner],
  fields,
  again: nothingTyped,
  async run({ ctx, body }) {
    const person = await personNamed(ctx, body.name, 'name')
    await unblock(ctx, ctx.org, person)
    return { to: orgSettingsPath(ctx, 'blocked'), notice: texts.ended(person.name) }
  },
})
