import type { RepoCtx } from '../../access/context.ts'
import { canRead, inRepo, issuesEnabled, notArchived } from '../../access/repo.requirements.ts'
import { Invalid, Moved } from '../../lib/errors.ts'
import { mayManage } from '../../issues/issue.policy.ts'
import { createIssue } from '../../issues/issue.service.ts'
import { getChoices } from '../../issues/lists/query-list.service.ts'
import { templateNamed } from '../../issues/templates/template-file.service.ts'
import { getIssueConfig, getIssueTemplates } from '../../issues/templates/template.service.ts'
import { inRepositoryFrame } from '../frames/repository-frame.tsx'
import { inSession } from '../shell/browser.requirements.ts'
import { act, page } from '../shell/page.tsx'
import { pathOfField } from '../ui/path-field.ts'
import { pathOf } from '../ui/paths.ts'
import { renderTexts } from '../ui/render-texts.ts'
import { markdownOf } from '../shared/templates/questions.view.tsx'
import { templateFields, textOfForm } from '../shared/templates/sent-answers.ts'
import { ChooseView, NewIssueView, type NewIssueProps } from './new.view.tsx'
import { issueTexts } from '../languages/texts.ts'
import { integer, text, textList } from '../ui/fields.ts'

const texts = issueTexts.create

/** The templates to choose from. Without any, it redirects to an empty issue. */
export const chooseIssueTemplate = page({
  path: '/{username}/{reponame}/issues/new/choose',
  twin: 'issueCreateIssue',
  cost: 'usual',
  requires: [inSession, inRepo, issuesEnabled, notArchived, canRead('issues')],
  frame: inRepositoryFrame('issues'),
  async load({ ctx }) {
    const [{ templates, broken }, { config }] = await Promise.all([getIssueTemplates(ctx), getIssueConfig(ctx)])
    if (templates.length + broken.length === 0 && config.contactLinks.length === 0) {
      throw new Moved(303, pathOf(ctx.owner.name, ctx.repo.name, 'issues', 'new'))
    }
    return { repository: { repo: ctx.repo, owner: ctx.owner }, templates, broken, config }
  },
  meta: () => ({ title: texts.choose, isUnlisted: true }),
  view: ChooseView,
})

const prefill = {
  template: text,
  title: text,
  body: text,
  milestone: integer,
} as const

/** Returns the template that an address or a form names. */
async function findTemplate(ctx: RepoCtx, named: string | undefined) {
  if (named === undefined) return { template: undefined, broken: undefined }
  return templateNamed(await getIssueTemplates(ctx), pathOfField(named))
}

async function loadNew(
  ctx: RepoCtx,
  query: { readonly template?: string; readonly title?: string; readonly body?: string; readonly milestone?: number },
): Promise<NewIssueProps> {
  const trusted = mayManage(ctx.rights, { is_pull: false }).allowed
  const [{ template, broken }, choices] = await Promise.all([
    findTemplate(ctx, query.template),
    trusted ? getChoices(ctx) : undefined,
  ])
  return {
    repository: { repo: ctx.repo, owner: ctx.owner },
    template,
    broken,
    html: await renderTexts(
      ctx,
      markdownOf(template?.fields ?? []).map((text, index) => [text, text, `part-${index}`] as const),
    ),
    choices,
    title: query.title,
    body: query.body,
    milestone: query.milestone,
  }
}

/** A new issue, empty or from a template. */
export const newIssuePage = page({
  path: '/{username}/{reponame}/issues/new',
  twin: 'issueCreateIssue',
  cost: 'usual',
  requires: [inSession, inRepo, issuesEnabled, notArchived, canRead('issues')],
  query: prefill,
  frame: inRepositoryFrame('issues'),
  load: ({ ctx, query }) => loadNew(ctx, query),
  meta: () => ({ title: texts.title, isUnlisted: true }),
  view: NewIssueView,
})

/** Creates an issue. */
export const openIssueOfPage = act({
  path: '/{username}/{reponame}/issues/new',
  twin: 'issueCreateIssue',
  cost: 'usual',
  requires: [inRepo, issuesEnabled, notArchived, canRead('issues')],
  fields: {
    ...templateFields,
    title: text,
    ref: text,
    label: textList,
    assignee: textList,
    milestone: integer,
    due: text,
  },
  again: newIssuePage,
  againQuery: ['template'],
  async run({ ctx, body }) {
    const title = body.title?.trim() ?? ''
    if (title === '') throw new Invalid(texts.emptyTitle, 'title_empty', { field: 'title' })
    const { template } = await findTemplate(ctx, body.template)
    const issue = await createIssue(ctx, {
      title,
      body: textOfForm(template, body, ctx.budget),
      ref: body.ref,
      labels: (body.label ?? []).map(Number).filter((id) => Number.isSafeInteger(id)),
      assignees: body.assignee ?? [],
      milestone: body.milestone,
      dueDate: body.due ? `${body.due}T12:00:00Z` : undefined,
    })
    return { to: pathOf(ctx.owner.name, ctx.repo.name, 'issues', issue.index) }
  },
})
