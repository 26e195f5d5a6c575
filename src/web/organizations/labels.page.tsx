import { pathNumber } from '../../http/schema.ts'
import { createLabel, deleteLabel, editLabel, getLabels } from '../../issues/labels/label.service.ts'
import type { LabelId } from '../../lib/ids.ts'
import { inOrg, orgOwner, type OrgCtx } from '../../orgs/org.requirements.ts'
import { labelFields, labelInputOf } from '../shared/labels/labels.ts'
import { labelTexts as texts } from '../languages/texts.ts'
import { inSession } from '../shell/browser.requirements.ts'
import { act, page } from '../shell/page.tsx'
import { OrgLabelsView } from './labels.view.tsx'
import { inOrgSettings, orgSettingsMeta, orgSettingsPath } from './settings-frame.tsx'
import { integer } from '../ui/fields.ts'

/** Most labels of one page; an organization with more is unusual. */
const shownAtMost = 500

const homeOf = ({ org }: OrgCtx) => ({ orgId: org.id })

/** Shows the labels that all repositories of an organization offer. */
export const orgLabelsPage = page({
  path: '/org/{org}/settings/labels',
  twin: 'orgEditLabel',
  cost: 'usual',
  requires: [inSession, inOrg, orgOwner],
  query: { edit: integer },
  frame: inOrgSettings('labels'),
  async load({ ctx, query }) {
    const whole = { number: 1, limit: shownAtMost, offset: 0 }
    const { rows } = await getLabels(ctx, homeOf(ctx), 'name', whole)
    return { labels: rows, editing: query.edit, path: orgSettingsPath(ctx, 'labels') }
  },
  meta: (_data, { ctx }) => orgSettingsMeta('labels', ctx),
  view: OrgLabelsView,
})

const ofOwners = { requires: [inOrg, orgOwner], again: orgLabelsPage } as const

export const addOrgLabelSubmit = act({
  ...ofOwners,
  path: '/org/{org}/settings/labels/new',
  twin: 'orgCreateLabel',
  cost: 'usual',
  fields: labelFields,
  async run({ ctx, body }) {
    const { name } = await createLabel(ctx, homeOf(ctx), { ...labelInputOf(body), isArchived: false })
    return { to: orgSettingsPath(ctx, 'labels'), notice: texts.created(name) }
  },
})

export const editOrgLabelSubmit = act({
  ...ofOwners,
  path: '/org/{org}/settings/labels/{id}/edit',
  edits: true,
  twin: 'orgEditLabel',
  cost: 'usual',
  params: { id: pathNumber },
  fields: labelFields,
  async run({ ctx, params, body }) {
    const { name } = await editLabel(ctx, homeOf(ctx), params.id as LabelId, labelInputOf(body))
    return { to: orgSettingsPath(ctx, 'labels'), notice: texts.saved(name) }
  },
})

export const deleteOrgLabelSubmit = act({
  ...ofOwners,
  path: '/org/{org}/settings/labels/{id}/delete',
  twin: 'orgDeleteLabel',
  cost: 'usual',
  params: { id: pathNumber },
  async run({ ctx, params }) {
    await deleteLabel(ctx, homeOf(ctx), params.id as LabelId)
    return { to: orgSettingsPath(ctx, 'labels'), notice: texts.deleted }
  },
})
