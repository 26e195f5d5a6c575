import { mayHere } from '../../access/may-here.ts'
import type { RepoCtx } from '../../access/context.ts'
import type { ComparedSide } from '../../code/commits/compared-side.service.ts'
import { messageBody, subjectOf } from '../../code/commits/message.rules.ts'
import { mayManage } from '../../issues/issue.policy.ts'
import { getChoices, type IssueChoices } from '../../issues/lists/query-list.service.ts'
import { branchRef } from '../../lib/refs.ts'
import { mayAllowMaintainerEdit } from '../../pulls/maintainer-edit.policy.ts'
import { findOpenPull } from '../../pulls/pull-open.service.ts'
import { templateNamed, type BrokenTemplate } from '../../issues/templates/template-file.service.ts'
import type { FormField } from '../../issues/templates/form-field.ts'
import { getPullTemplates } from '../../pulls/pull-template.service.ts'
import { markdownOf } from '../shared/templates/questions.view.tsx'
import { pathOfField } from '../ui/path-field.ts'
import { renderTexts } from '../ui/render-texts.ts'
import { unitConfig } from '../../repos/unit-config.ts'
import { getReviewChoices, type ReviewChoices } from '../../pulls/reviews/review-choice.service.ts'

/** The form of a pull request between two branches. */
export interface NewPullFields {
  readonly title: string
  readonly description: string
  /** Names of labels that the template ticks. */
  readonly labels: readonly string[]
  /** Names of people whom the template ticks. */
  readonly assignees: readonly string[]
  /** Names of people, and of teams as `organization/team`, whom the template ticks. */
  readonly asked: readonly string[]
  /** Id of the milestone of the template. */
  readonly milestone: number | undefined
  readonly template: ChosenTemplate
  /** Undefined: the viewer may not set labels, assignees, milestone and due date. */
  readonly choices: IssueChoices | undefined
  /** Undefined: the viewer may ask nobody. */
  readonly reviewers: ReviewChoices | undefined
  /** Whether the head is opened to maintainers of the base by default; undefined: the viewer may not, or it is not in a fork. */
  readonly opensHead: boolean | undefined
}

/** The template of a form, and those that it can be exchanged for. */
export interface ChosenTemplate {
  /** Undefined: the form has no template. */
  readonly path: string | undefined
  readonly oid: string | undefined
  /** The questions of the template; undefined: it is a text. */
  readonly fields: readonly FormField[] | undefined
  /** Texts of the questions as HTML, by their Markdown. */
  readonly html: ReadonlyMap<string, string>
  readonly offered: readonly { readonly path: string; readonly name: string; readonly about: string }[]
  readonly broken: readonly BrokenTemplate[]
}

/** What a comparison offers to its viewer. */
export interface PullOffer {
  /** The open pull request between the branches. */
  readonly existing: { readonly index: number; readonly title: string } | undefined
  /** Undefined: the viewer may not open one, or the sides are not branches. */
  readonly form: NewPullFields | undefined
}

/**
 * Returns the template that a form names.
 * @param named its path or the name of its file; undefined: the usual one; without such a template, the form has none
 */
export async function choosePullTemplate(ctx: RepoCtx, named: string | undefined) {
  const read = await getPullTemplates(ctx)
  const path = named === undefined ? read.usual : pathOfField(named)
  const { template } = path === undefined ? {} : templateNamed(read, path)
  return { ...read, template }
}

/** Returns the id of the milestone with a title, or of the only one whose title begins with it. */
function milestoneOf({ milestones }: IssueChoices, title: string): number | undefined {
  if (title === '') return undefined
  const lower = title.toLowerCase()
  const same = milestones.find((each) => each.title.toLowerCase() === lower)
  const [first, ...others] = milestones.filter((each) => each.title.toLowerCase().startsWith(lower))
  return (same ?? (others.length === 0 ? first : undefined))?.id
}

/**
 * Returns the open pull request between two branches, and the form of a new one.
 * @param message of the single commit between them, which gives title and text
 * @param named the template that the address names, as for `choosePullTemplate`
 */
export async function loadPullOffer(
  ctx: RepoCtx,
  base: string,
  head: ComparedSide,
  message: string | undefined,
  named: string | undefined,
): Promise<PullOffer> {
  const none: PullOffer = { existing: undefined, form: undefined }
  if (ctx.rights.modeOf('pulls') === 0) return none
  const [baseTip, headTip] = await Promise.all([
    ctx.git.readRef(ctx.repo.git_key, branchRef(base)),
    ctx.git.readRef(head.repo.git_key, branchRef(head.name)),
  ])
  if (baseTip === undefined || headTip === undefined) return none
  const pair = await findOpenPull(ctx, base, head)
  const existing = pair && { index: pair.issue.index, title: pair.issue.title }
  const { viewer } = ctx
  if (!viewer || !mayHere(ctx).change.allowed) return { existing, form: undefined }
  const opened = { issue: { poster_id: viewer.id }, pull: { base_branch: base } }
  const [choices, reviewers, { template, templates, broken }] = await Promise.all([
    mayManage(ctx.rights, { is_pull: true }).allowed ? getChoices(ctx) : undefined,
    getReviewChoices({ ...ctx, viewer }, opened),
    choosePullTemplate(ctx, named),
  ])
  const texts = [message === undefined ? '' : messageBody(message), template?.content ?? '']
  return {
    existing,
    form: {
      title: `${template?.title ?? ''}${message === undefined ? head.name : subjectOf(message) || head.name}`,
      description: texts.filter((text) => text !== '').join('\n\n'),
      labels: template?.labels ?? [],
      assignees: template?.assignees ?? [],
      asked: template?.reviewers ?? [],
      milestone: choices && template && milestoneOf(choices, template.milestone),
      template: {
        path: template?.path,
        oid: template?.oid,
        fields: template?.fields,
        html: await renderTexts(
          ctx,
          markdownOf(template?.fields ?? []).map((text, index) => [text, text, `part-${index}`] as const),
        ),
        offered: templates,
        broken,
      },
      choices,
      reviewers,
      opensHead:
        head.repo.id !== ctx.repo.id && mayAllowMaintainerEdit(head.rights).allowed
          ? (unitConfig(ctx.units, 'pulls')?.default_allow_maintainer_edit ?? false)
          : undefined,
    },
  }
}
