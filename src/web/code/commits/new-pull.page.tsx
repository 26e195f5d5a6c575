import { notArchived } from '../../../access/repo.requirements.ts'
import { mayManage } from '../../../issues/issue.policy.ts'
import { Invalid, NotFound } from '../../../lib/errors.ts'
import { createPull } from '../../../pulls/pull-open.service.ts'
import { titleAsDraft } from '../../../pulls/pull-view.service.ts'
import { comparePage } from './compare.page.tsx'
import { namesOf } from './compare-names.ts'
import { choosePullTemplate } from '../../pulls/new-pull.ts'
import { templateFields, textOfForm } from '../../shared/templates/sent-answers.ts'
import { act } from '../../shell/page.tsx'
import { readsPull } from '../../pulls/pull-page.ts'
import { repositoryOf, pullPath } from '../../pulls/pull-paths.ts'
import { integer, text, textList, tick } from '../../ui/fields.ts'

/** Opens a pull request; the form is on the page that compares its branches. */
export const openNewPull = act({
  path: '/{username}/{reponame}/compare/{filepath+}',
  twin: 'repoCreatePullRequest',
  requires: [...readsPull, notArchived],
  fields: {
    ...templateFields,
    title: text,
    draft: text,
    maintainers: tick,
    reviewer: textList,
    team: textList,
    label: textList,
    assignee: textList,
    milestone: integer,
    due: text,
  },
  cost: 'expensive',
  again: comparePage,
  againQuery: ['template'],
  problemFields: {
    user_not_found: 'reviewer',
    team_: 'reviewer',
    reviewer_: 'reviewer',
    milestone_: 'milestone',
    maintainer_edit: 'maintainers',
  },
  async run({ ctx, params, body }) {
    const { base, head } = namesOf(ctx, params.filepath)
    const prefixes = ctx.config.repositoryPullRequest.workInProgressPrefixes
    const manages = mayManage(ctx.rights, { is_pull: true }).allowed
    const { reviewer: reviewers = [], team: teams = [] } = body
    const { template } = await choosePullTemplate(ctx, body.template ?? '')
    const { issue } = await createPull(ctx, {
      base,
      head,
      title: titleAsDraft(body.title ?? '', prefixes, body.draft === 'true'),
      body: textOfForm(template, body, ctx.budget),
      allowsMaintainerEdit: body.maintainers,
      requested: reviewers.length + teams.length > 0 ? { reviewers, teams } : undefined,
      dueDate: manages && body.due ? `${body.due}T12:00:00Z` : undefined,
      ...(manages
        ? {
            labels: (body.label ?? []).map(Number).filter((id) => Number.isSafeInteger(id)),
            assignees: body.assignee,
            milestone: body.milestone,
          }
        : {}),
    }).catch((error: unknown) => {
      // What somebody chose in the form is gone; the page shows it again with what was typed.
      if (error instanceof NotFound) throw new Invalid(error.message, error.code)
      throw error
    })
    return { to: pullPath(repositoryOf(ctx), issue.index) }
  },
})
