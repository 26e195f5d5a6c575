import { removeSecret } from '../../../actions/secrets/secret.service.ts'
import type { ValueOwner } from '../../../actions/value-owner.ts'
import { removeVariable } from '../../../actions/variables/variable.service.ts'
import type { AnyRequirement } from '../../../http/operation.ts'
import { inSession } from '../../shell/browser.requirements.ts'
import type { PageMeta } from '../../shell/document.tsx'
import { act, nothingTyped, page, type Frame, type Page } from '../../shell/page.tsx'
import type { HolderCtx } from '../holder-context.ts'
import {
  addVariableFrom,
  editVariableFrom,
  loadVariable,
  nameField,
  putSecretFrom,
  valueFields,
  valueProblems,
} from './secrets.ts'
import { secretTexts as texts } from '../../languages/texts.ts'
import { EditVariable } from './secrets.view.tsx'

/** What has secrets and variables of workflows: an account, an organization, or a repository. */
interface ValueHolder<Rs extends readonly AnyRequirement[]> {
  /** The address that those of secrets and variables are below. */
  readonly path: string
  /** The part that the ids of the API's operations on these values have in common. */
  readonly twins: 'Org' | 'Repo' | 'User'
  /** Checked after the session. */
  readonly requires: Rs
  readonly ownerOf: (ctx: HolderCtx<Rs>) => ValueOwner
  /** Returns `path` with its parameters. */
  readonly pathOf: (ctx: HolderCtx<Rs>) => string
  /** The page with the lists and the forms that add to them. */
  readonly listPage: Page
  /** Returns the path of that page. */
  readonly listPathOf: (ctx: HolderCtx<Rs>) => string
  readonly frame: Frame<HolderCtx<Rs>>
  readonly meta: (ctx: HolderCtx<Rs>) => PageMeta
}

const upperName = ({ name = '' }: { readonly name?: string }): string => name.trim().toUpperCase()

/** Declares the form of a variable, and what the forms of secrets and variables of a place do. */
export function valuePages<const Rs extends readonly AnyRequirement[]>(holder: ValueHolder<Rs>) {
  // Inside, only what each place has in common is known of a context.
  const { path, twins, requires, ownerOf, pathOf, listPage, listPathOf, frame, meta } =
    holder as unknown as ValueHolder<readonly AnyRequirement[]>
  const form = { requires, fields: valueFields, problemFields: valueProblems, again: listPage } as const
  const variable = `${path}/variables/{variable}` as const

  const putSecret = act({
    twin: `update${twins}Secret`,
    ...form,
    path: `${path}/secrets`,
    cost: 'usual',
    async run({ ctx, body }) {
      await putSecretFrom(ctx, ownerOf(ctx), body)
      return { to: listPathOf(ctx), notice: texts.secretAdded(upperName(body)) }
    },
  })
  const deleteSecret = act({
    twin: `delete${twins}Secret`,
    path: `${path}/secrets/delete`,
    cost: 'usual',
    requires,
    fields: nameField,
    again: nothingTyped,
    async run({ ctx, body }) {
      await removeSecret(ctx, ownerOf(ctx), body.name ?? '')
      return { to: listPathOf(ctx), notice: texts.secretRemoved }
    },
  })
  const addVariable = act({
    twin: `create${twins}Variable`,
    ...form,
    path: `${path}/variables`,
    cost: 'usual',
    async run({ ctx, body }) {
      await addVariableFrom(ctx, ownerOf(ctx), body)
      return { to: listPathOf(ctx), notice: texts.variableAdded(upperName(body)) }
    },
  })
  const deleteVariable = act({
    twin: `delete${twins}Variable`,
    path: `${path}/variables/delete`,
    cost: 'usual',
    requires,
    fields: nameField,
    again: nothingTyped,
    async run({ ctx, body }) {
      await removeVariable(ctx, ownerOf(ctx), body.name ?? '')
      return { to: listPathOf(ctx), notice: texts.variableRemoved }
    },
  })
  const variablePage = page({
    twin: `get${twins}Variable`,
    path: variable,
    cost: 'usual',
    isSecret: true,
    requires: [inSession, ...requires],
    frame,
    meta: (_data, { ctx }) => meta(ctx),
    load: async ({ ctx, params }) => ({
      ...(await loadVariable(ctx, ownerOf(ctx), params.variable)),
      path: pathOf(ctx),
      back: listPathOf(ctx),
    }),
    view: EditVariable,
  })
  const editVariable = act({
    twin: `update${twins}Variable`,
    edits: true,
    ...form,
    path: variable,
    cost: 'usual',
    again: variablePage,
    async run({ ctx, params, body }) {
      await editVariableFrom(ctx, ownerOf(ctx), params.variable, body)
      return { to: listPathOf(ctx), notice: texts.variableSaved }
    },
  })
  return { putSecret, deleteSecret, addVariable, deleteVariable, variablePage, editVariable }
}
