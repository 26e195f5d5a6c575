import type { UserRow } from '../../../db/tables/accounts.ts'
import type { AnyRequirement } from '../../../http/operation.ts'
import { pageQuery } from '../../../http/schema.ts'
import { Invalid } from '../../../lib/errors.ts'
import { pageOf } from '../../../lib/paging.ts'
import { block, pageOfBlockedPeople, unblock } from '../../../users/social/block.service.ts'
import { blockedTexts as texts } from '../../languages/texts.ts'
import { inSession } from '../../shell/browser.requirements.ts'
import type { PageMeta } from '../../shell/document.tsx'
import { act, nothingTyped, page, type Frame } from '../../shell/page.tsx'
import { textUpTo } from '../../ui/fields.ts'
import type { HolderCtx } from '../holder-context.ts'
import { personNamed } from '../person-named.ts'
import { BlockedView } from './blocked.view.tsx'

/** Who blocks people: an account or an organization. */
interface BlockHolder<Rs extends readonly AnyRequirement[]> {
  /** Address of the page. */
  readonly path: string
  /** What the ids of the API's operations on its blocks begin with. */
  readonly twins: 'org' | 'user'
  /** Checked after the session. */
  readonly requires: Rs
  readonly ownerOf: (ctx: HolderCtx<Rs>) => UserRow
  /** Returns the path of the page. */
  readonly pathOf: (ctx: HolderCtx<Rs>) => string
  /** Says what a block of the owner does. */
  readonly leadOf: (owner: UserRow) => string
  readonly frame: Frame<HolderCtx<Rs>>
  readonly meta: (ctx: HolderCtx<Rs>) => PageMeta
}

/** Declares the page of the people that a place blocks, and what its forms do. */
export function blockedPages<const Rs extends readonly AnyRequirement[]>(holder: BlockHolder<Rs>) {
  // Inside, only what each place has in common is known of a context.
  const { path, twins, requires, ownerOf, pathOf, leadOf, frame, meta } = holder as unknown as BlockHolder<
    readonly AnyRequirement[]
  >
  const form = { cost: 'usual', requires, fields: { name: textUpTo(255) } } as const

  const listPage = page({
    path,
    twin: `${twins}ListBlockedUsers`,
    cost: 'usual',
    requires: [inSession, ...requires],
    query: pageQuery,
    frame,
    async load({ ctx, query }) {
      const owner = ownerOf(ctx)
      const at = pageOf(query, ctx.config.api)
      const { people, total } = await pageOfBlockedPeople(ctx, owner, at)
      return { people, total, page: at.number, pageSize: at.limit, path: pathOf(ctx), lead: leadOf(owner) }
    },
    meta: (_data, { ctx }) => meta(ctx),
    view: BlockedView,
  })
  const blockPerson = act({
    ...form,
    path,
    twin: `${twins}BlockUser`,
    again: listPage,
    async run({ ctx, body }) {
      const person = await personNamed(ctx, body.name, 'name')
      if (person.id === ownerOf(ctx).id) throw new Invalid(texts.self, 'block_self', { field: 'name' })
      await block(ctx, ownerOf(ctx), person)
      return { to: pathOf(ctx), notice: texts.done(person.name) }
    },
  })
  const unblockPerson = act({
    ...form,
    path: `${path}/unblock`,
    twin: `${twins}UnblockUser`,
    again: nothingTyped,
    async run({ ctx, body }) {
      const person = await personNamed(ctx, body.name, 'name')
      await unblock(ctx, ownerOf(ctx), person)
      return { to: pathOf(ctx), notice: texts.ended(person.name) }
    },
  })
  return { listPage, blockPerson, unblockPerson }
}
