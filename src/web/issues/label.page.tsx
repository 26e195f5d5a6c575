import { mayHere } from '../../access/may-here.ts'
import { canWrite, inRepo, issuesOrPullsEnabled, notArchived } from '../../access/repo.requirements.ts'
import { pathNumber } from '../../http/schema.ts'
import type { LabelId } from '../../lib/ids.ts'
import { createLabel, deleteLabel, editLabel, getLabels } from '../../issues/labels/label.service.ts'
import { labelFields, labelInputOf } from '../shared/labels/labels.ts'
import { labelTexts as texts } from '../languages/texts.ts'
import { inRepositoryFrame } from '../frames/repository-frame.tsx'
import { act, page } from '../shell/page.tsx'
import { pathOf } from '../ui/paths.ts'
import { LabelsView } from './label.view.tsx'
import { integer } from '../ui/fields.ts'

/** Most labels of one page; a repository with more is unusual. */
const shownAtMost = 500

/** The labels of a repository and of its organization. */
export const labelsPage = page({
  path: '/{username}/{reponame}/labels',
  twin: 'issueListLabels',
  cost: 'usual',
  requires: [inRepo, issuesOrPullsEnabled],
  query: { edit: integer },
  frame: inRepositoryFrame('issues'),
  async load({ ctx, query }) {
    const whole = { number: 1, limit: shownAtMost, offset: 0 }
    const [own, shared] = await Promise.all([
      getLabels(ctx, { repoId: ctx.repo.id }, 'name', whole),
      ctx.owner.kind === 'organization' ? getLabels(ctx, { orgId: ctx.owner.id }, 'name', whole) : undefined,
    ])
    const mayChange = mayHere(ctx).write('issues', 'pulls').allowed
    return {
      repository: { repo: ctx.repo, owner: ctx.owner },
      labels: own.rows,
      shared: shared?.rows ?? [],
      mayChange,
      editing: mayChange ? query.edit : undefined,
    }
  },
  meta: ({ repository }) => ({ title: `${texts.title} · ${repository.owner.name}/${repository.repo.name}` }),
  view: LabelsView,
})

const shared = {
  requires: [inRepo, issuesOrPullsEnabled, notArchived, canWrite('issues', 'pulls')],
  again: labelsPage,
} as const

/** Creates a label. */
export const addLabelOfPage = act({
  ...shared,
  path: '/{username}/{reponame}/labels/new',
  twin: 'issueCreateLabel',
  cost: 'usual',
  fields: labelFields,
  async run({ ctx, body }) {
    const { name } = await createLabel(ctx, { repoId: ctx.repo.id }, labelInputOf(body))
    return { to: pathOf(ctx.owner.name, ctx.repo.name, 'labels'), notice: texts.created(name) }
  },
})

/** Changes a label. */
export const changeLabelOfPage = act({
  ...shared,
  path: '/{username}/{reponame}/labels/{id}/edit',
  edits: true,
  twin: 'issueEditLabel',
  cost: 'usual',
  params: { id: pathNumber },
  fields: labelFields,
  async run({ ctx, params, body }) {
    const { name } = await editLabel(ctx, { repoId: ctx.repo.id }, params.id as LabelId, labelInputOf(body))
    return { to: pathOf(ctx.owner.name, ctx.repo.name, 'labels'), notice: texts.saved(name) }
  },
})

/** Deletes a label. */
export const removeLabelOfPage = act({
  ...shared,
  path: '/{username}/{reponame}/labels/{id}/delete',
  twin: 'issueDeleteLabel',
  cost: 'usual',
  params: { id: pathNumber },
  async run({ ctx, params }) {
    await deleteLabel(ctx, { repoId: ctx.repo.id }, params.id as LabelId)
    return { to: pathOf(ctx.owner.name, ctx.repo.name, 'labels'), notice: texts.deleted }
  },
})
