import { mayHere } from '../../access/may-here.ts'
import type { RepoCtx } from '../../access/context.ts'
import { canWrite, inRepo, issuesOrPullsEnabled, notArchived } from '../../access/repo.requirements.ts'
import { pathNumber } from '../../http/schema.ts'
import { Invalid } from '../../lib/errors.ts'
import { pageOf } from '../../lib/paging.ts'
import { findByQuery } from '../../issues/lists/query-list.service.ts'
import {
  createMilestone,
  deleteMilestone,
  editMilestone,
  getMilestone,
  getMilestones,
} from '../../issues/milestones/milestone.service.ts'
import { emptyQuery } from '../../issues/search/query.parse.ts'
import { plainSummary } from '../../markup/plain-summary.ts'
import { getPullMarks } from '../../pulls/merge/pull-marks.service.ts'
import { inRepositoryFrame } from '../frames/repository-frame.tsx'
import { inSession } from '../shell/browser.requirements.ts'
import { act, nothingTyped, page } from '../shell/page.tsx'
import { pathOf } from '../ui/paths.ts'
import { MilestoneFormView, MilestonesView, MilestoneView } from './milestone.view.tsx'
import { milestoneTexts as texts } from '../languages/texts.ts'
import { renderTexts } from '../ui/render-texts.ts'
import { integer, text } from '../ui/fields.ts'

const mayChangeIn = (ctx: RepoCtx): boolean => mayHere(ctx).write('issues', 'pulls').allowed

const repositoryOf = (ctx: RepoCtx) => ({ repo: ctx.repo, owner: ctx.owner })
const nameOf = ({ owner, repo }: RepoCtx): string => `${owner.name}/${repo.name}`
const listQuery = { state: text, page: integer } as const

/** The milestones of a repository with their progress. */
export const milestonesPage = page({
  path: '/{username}/{reponame}/milestones',
  twin: 'issueGetMilestonesList',
  cost: 'usual',
  requires: [inRepo, issuesOrPullsEnabled],
  query: listQuery,
  frame: inRepositoryFrame('issues'),
  async load({ ctx, query }) {
    const state = query.state === 'closed' ? 'closed' : 'open'
    const at = pageOf({ page: query.page }, ctx.config.api)
    const other = state === 'closed' ? 'open' : 'closed'
    const [{ rows, total }, others] = await Promise.all([
      getMilestones(ctx, { state }, at),
      getMilestones(ctx, { state: other }, { number: 1, limit: 1, offset: 0 }),
    ])
    return {
      repository: repositoryOf(ctx),
      rows,
      state,
      open: state === 'open' ? total : others.total,
      closed: state === 'closed' ? total : others.total,
      page: at.number,
      pageSize: at.limit,
      mayChange: mayChangeIn(ctx),
    } as const
  },
  meta: (_, { ctx }) => ({ title: `${texts.title} · ${nameOf(ctx)}` }),
  view: MilestonesView,
})

/** A milestone with its description and what belongs to it. */
export const milestonePage = page({
  path: '/{username}/{reponame}/milestone/{id}',
  twin: 'issueGetMilestone',
  cost: 'usual',
  params: { id: pathNumber },
  requires: [inRepo, issuesOrPullsEnabled],
  query: listQuery,
  frame: inRepositoryFrame('issues'),
  async load({ ctx, params, query }) {
    const milestone = await getMilestone(ctx, String(params.id))
    const state = query.state === 'closed' ? 'closed' : 'open'
    const at = pageOf({ page: query.page }, ctx.config.api)
    const [found, rendered] = await Promise.all([
      findByQuery(ctx, { ...emptyQuery, state, milestone: milestone.title }, 'both', at),
      renderTexts(ctx, [[0, milestone.content]]),
    ])
    return {
      repository: repositoryOf(ctx),
      milestone,
      html: rendered.get(0) ?? '',
      found,
      marks: await getPullMarks(ctx, found.rows),
      state,
      page: at.number,
      pageSize: at.limit,
      mayChange: mayChangeIn(ctx),
    } as const
  },
  meta: ({ milestone }, { ctx }) => ({
    title: `${milestone.title} · ${nameOf(ctx)}`,
    description: plainSummary(milestone.content),
  }),
  view: MilestoneView,
})

const needsWriter = [inRepo, issuesOrPullsEnabled, notArchived, canWrite('issues', 'pulls')] as const

/** The form of a new milestone. */
export const newMilestonePage = page({
  path: '/{username}/{reponame}/milestones/new',
  twin: 'issueCreateMilestone',
  cost: 'usual',
  requires: [inSession, ...needsWriter],
  frame: inRepositoryFrame('issues'),
  load: async ({ ctx }) => ({ repository: repositoryOf(ctx), milestone: undefined }),
  meta: () => ({ title: texts.create, isUnlisted: true }),
  view: MilestoneFormView,
})

/** The form that changes a milestone. */
export const editMilestonePage = page({
  path: '/{username}/{reponame}/milestones/{id}/edit',
  twin: 'issueEditMilestone',
  cost: 'usual',
  params: { id: pathNumber },
  requires: [inSession, ...needsWriter],
  frame: inRepositoryFrame('issues'),
  load: async ({ ctx, params }) => ({
    repository: repositoryOf(ctx),
    milestone: await getMilestone(ctx, String(params.id)),
  }),
  meta: ({ milestone }) => ({ title: texts.edit(milestone.title), isUnlisted: true }),
  view: MilestoneFormView,
})

const fields = {
  title: text,
  content: text,
  due: text,
} as const

function inputOf(body: { readonly title?: string; readonly content?: string; readonly due?: string }) {
  const title = body.title?.trim() ?? ''
  if (title === '') throw new Invalid(texts.emptyTitle, 'milestone_nameless', { field: 'title' })
  return { title, description: body.content ?? '', dueOn: body.due ? `${body.due}T23:59:59Z` : undefined }
}

/** Creates a milestone. */
export const addMilestoneOfPage = act({
  path: '/{username}/{reponame}/milestones/new',
  twin: 'issueCreateMilestone',
  cost: 'usual',
  requires: needsWriter,
  fields,
  again: newMilestonePage,
  async run({ ctx, body }) {
    const { id, title } = await createMilestone(ctx, inputOf(body))
    return { to: pathOf(ctx.owner.name, ctx.repo.name, 'milestone', id), notice: texts.created(title) }
  },
})

/** Changes a milestone. */
export const changeMilestoneOfPage = act({
  path: '/{username}/{reponame}/milestones/{id}/edit',
  edits: true,
  twin: 'issueEditMilestone',
  cost: 'usual',
  params: { id: pathNumber },
  requires: needsWriter,
  fields,
  again: editMilestonePage,
  async run({ ctx, params, body }) {
    const milestone = await getMilestone(ctx, String(params.id))
    const { id, title } = await editMilestone(ctx, milestone, inputOf(body))
    return { to: pathOf(ctx.owner.name, ctx.repo.name, 'milestone', id), notice: texts.saved(title) }
  },
})

/** Closes a milestone, or reopens it. */
export const closeMilestoneOfPage = act({
  path: '/{username}/{reponame}/milestones/{id}/state',
  twin: 'issueEditMilestone',
  cost: 'usual',
  params: { id: pathNumber },
  requires: needsWriter,
  fields: { state: text },
  again: nothingTyped,
  async run({ ctx, params, body }) {
    const milestone = await getMilestone(ctx, String(params.id))
    const state = body.state === 'closed' ? 'closed' : 'open'
    await editMilestone(ctx, milestone, { state, dueOn: undefined })
    return { to: pathOf(ctx.owner.name, ctx.repo.name, 'milestone', milestone.id) }
  },
})

/** Deletes a milestone. */
export const removeMilestoneOfPage = act({
  path: '/{username}/{reponame}/milestones/{id}/delete',
  twin: 'issueDeleteMilestone',
  cost: 'usual',
  params: { id: pathNumber },
  requires: needsWriter,
  async run({ ctx, params }) {
    const milestone = await getMilestone(ctx, String(params.id))
    await deleteMilestone(ctx, milestone)
    return { to: pathOf(ctx.owner.name, ctx.repo.name, 'milestones'), notice: texts.deleted(milestone.title) }
  },
})
