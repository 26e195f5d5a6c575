import { Type } from 'typebox'
import { anyHolder, type Holder } from '../../access/holder.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import { operation, validBody, type AnyRequirement } from '../../http/operation.ts'
import { created, ok, paged } from '../../http/reply.ts'
import { pageQuery, pathNumber } from '../../http/schema.ts'
import type { LabelId } from '../../lib/ids.ts'
import { pageOrWhole } from '../../lib/paging.ts'
import type { RepoWithOwner } from '../repo-with-owner.ts'
import { presentLabel } from './label.present.ts'
import { CreateLabelOption, EditLabelOption, Label } from './label.schemas.ts'
import { createLabel, deleteLabel, editLabel, getLabel, getLabels } from './label.service.ts'

interface LabelOwner {
  readonly home: Parameters<typeof getLabel>[1]
  readonly of: RepoWithOwner | { readonly owner: UserRow }
}

interface LabelHolder<Rs extends readonly AnyRequirement[]> extends Holder<Rs, LabelOwner> {
  /** Checked after `requires` before one label is shown. */
  readonly toGet: readonly AnyRequirement[]
  /** Checked after `requires` before labels change. */
  readonly toChange: readonly AnyRequirement[]
  /** Whether a new label may be archived at once. */
  readonly createsArchived: boolean
  readonly summaries: Readonly<Record<'list' | 'create' | 'get' | 'edit' | 'remove', string>>
}

/** Declares the operations of the labels of a repository or an organization. */
export function labelOperations<const Rs extends readonly AnyRequirement[]>(holder: LabelHolder<Rs>) {
  const { path, scope, requires, ownerOf } = anyHolder(holder)
  const { toGet, toChange, createsArchived, summaries } = holder
  const change = { path: `${path}/{id}`, params: { id: pathNumber }, scope } as const
  const list = operation({
    method: 'GET',
    path,
    cost: 'usual',
    scope,
    requires,
    query: { ...pageQuery, sort: Type.Optional(Type.String()) },
    reply: { 200: Type.Array(Label) },
    summary: summaries.list,
    async run({ ctx, query }) {
      const page = pageOrWhole(query, ctx.config.api)
      const { home, of } = ownerOf(ctx)
      const { rows, total } = await getLabels(ctx, home, query.sort, page)
      return paged(
        rows.map((row) => presentLabel({ ...of, config: ctx.config }, row)),
        page,
        total,
        { link: false },
      )
    },
  })
  const create = operation({
    method: 'POST',
    path,
    cost: 'usual',
    scope,
    requires: [...requires, ...toChange, validBody],
    body: CreateLabelOption,
    reply: { 201: Label },
    summary: summaries.create,
    async run({ ctx, body }) {
      const { home, of } = ownerOf(ctx)
      const isArchived = createsArchived ? body.is_archived : false
      const label = await createLabel(ctx, home, { ...body, isExclusive: body.exclusive, isArchived })
      return created(presentLabel({ ...of, config: ctx.config }, label))
    },
  })
  const get = operation({
    method: 'GET',
    path: `${path}/{id}`,
    cost: 'usual',
    scope,
    requires: [...requires, ...toGet],
    reply: { 200: Label },
    summary: summaries.get,
    async run({ ctx, params }) {
      const { home, of } = ownerOf(ctx)
      return ok(presentLabel({ ...of, config: ctx.config }, await getLabel(ctx, home, params.id)))
    },
  })
  const edit = operation({
    cost: 'usual',
    ...change,
    method: 'PATCH',
    requires: [...requires, ...toChange, validBody],
    body: EditLabelOption,
    reply: { 200: Label },
    summary: summaries.edit,
    async run({ ctx, params, body }) {
      const { home, of } = ownerOf(ctx)
      const input = { ...body, isExclusive: body.exclusive, isArchived: body.is_archived }
      return ok(presentLabel({ ...of, config: ctx.config }, await editLabel(ctx, home, params.id as LabelId, input)))
    },
  })
  const remove = operation({
    cost: 'usual',
    ...change,
    method: 'DELETE',
    requires: [...requires, ...toChange],
    reply: { 204: 'empty' },
    summary: summaries.remove,
    run: ({ ctx, params }) => deleteLabel(ctx, ownerOf(ctx).home, params.id as LabelId),
  })
  return { list, create, get, edit, remove }
}
