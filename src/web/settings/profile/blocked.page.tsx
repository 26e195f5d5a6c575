import { pageQuery } from '../../../http/schema.ts'
import { Invalid } from '../../../lib/errors.ts'
import { pageOf } from '../../../lib/paging.ts'
import { block, pageOfBlockedPeople, unblock } from '../../../users/social/block.service.ts'
import { findShownUser } from '../../../users/user.service.ts'
import { blockedTexts as texts } from '../../languages/texts.ts'
import { BlockedView } from '../../shared/blocked/blocked.view.tsx'
import { inSession } from '../../shell/browser.requirements.ts'
import { act, nothingTyped, page } from '../../shell/page.tsx'
import { inSettings, settingsMeta, settingsPath, type PersonCtx } from '../settings-frame.tsx'
import { textUpTo } from '../../ui/fields.ts'

const path = settingsPath('blocked')
const name = textUpTo(255)

/** Shows the people that the account blocks. */
export const blockedPeoplePage = page({
  path: '/user/settings/blocked_users',
  twin: 'userListBlockedUsers',
  cost: 'usual',
  requires: [inSession],
  frame: inSettings('blocked'),
  query: pageQuery,
  async load({ ctx, query }) {
    const { number, limit, ...rest } = pageOf(query, ctx.config.api)
    const { people, total } = await pageOfBlockedPeople(ctx, ctx.viewer.user, { number, limit, ...rest })
    return { people, total, page: number, pageSize: limit, path, lead: texts.lead }
  },
  meta: () => settingsMeta('blocked'),
  view: BlockedView,
})

async function personOf(ctx: PersonCtx, sent: string | undefined) {
  const person = await findShownUser(ctx, (sent ?? '').trim())
  if (!person) throw new Invalid(texts.unknown, 'user_not_found', { field: 'name' })
  return person
}

export const blockPersonSubmit = act({
  path: '/user/settings/blocked_users',
  twin: 'userBlockUser',
  cost: 'usual',
  requires: [],
  fields: { name },
  again: blockedPeoplePage,
  problemFields: { not_a_person: 'name' },
  async run({ ctx, body }) {
    const person = await personOf(ctx, body.name)
    if (person.id === ctx.viewer.id) throw new Invalid(texts.self, 'block_self', { field: 'name' })
    await block(ctx, ctx.viewer.user, person)
    return { to: path, notice: texts.done(person.name) }
  },
})

export const unblockPersonSubmit = act({
  path: '/user/settings/blocked_users/unblock',
  twin: 'userUnblockUser',
  cost: 'usual',
  requires: [],
  fields: { name },
  again: nothingTyped,
  async run({ ctx, body }) {
    const person = await personOf(ctx, body.name)
    await unblock(ctx, ctx.viewer.user, person)
    return { to: path, notice: texts.ended(person.name) }
  },
})
