import type { Ctx } from '../../access/context.ts'
import { placed } from '../../issues/lists/personal-list.service.ts'
import type { IssueChoices } from '../../issues/lists/query-list.service.ts'
import { findWideByQuery } from '../../issues/lists/wide-list.service.ts'
import { getLabels } from '../../issues/labels/label.service.ts'
import { parseIssueQuery, usualQuery, writeIssueQuery } from '../../issues/search/query.parse.ts'
import { pageOf } from '../../lib/paging.ts'
import { pageOfMembers } from '../../orgs/member.service.ts'
import { inOrg, type OrgCtx } from '../../orgs/org.requirements.ts'
import { getPullMarks } from '../../pulls/merge/pull-marks.service.ts'
import { inOrganizationFrame, orgPath } from '../frames/organization-frame.tsx'
import { page } from '../shell/page.tsx'
import { issueTexts as texts } from '../languages/texts.ts'
import { integer, text } from '../ui/fields.ts'
import { OrganizationIssuesView } from './organization.view.tsx'

/** Most choices that a menu shows; the query can name the others. */
const offeredAtMost = 100

/** The query of the list when nobody has asked for another. */
const usual = { ...usualQuery, kind: 'issues' } as const

/** Returns the labels and the people of an organization that the viewer may see. Repositories have further ones. */
async function choicesOf(ctx: Ctx & OrgCtx): Promise<IssueChoices> {
  const first = { number: 1, limit: offeredAtMost, offset: 0 }
  const [labels, people] = await Promise.all([
    getLabels(ctx, { orgId: ctx.org.id }, 'name', first),
    pageOfMembers(ctx, ctx.org, first, false),
  ])
  return {
    labels: labels.rows.filter((label) => label.archived_unix === 0),
    milestones: [],
    people: people.users,
  }
}

/** The issues and pull requests of an organization's repositories that the viewer may read, the newest first. */
export const organizationIssuesPage = page({
  path: '/org/{org}/issues',
  twin: 'issueSearchIssues',
  cost: 'expensive',
  requires: [inOrg],
  query: { q: text, page: integer },
  frame: inOrganizationFrame('issues'),
  async load({ ctx, query: { q = '', page: number } }) {
    const { org } = ctx
    const query = q.trim() === '' ? usual : parseIssueQuery(q)
    const at = pageOf({ page: number }, { ...ctx.config.api, defaultPagingNum: ctx.config.ui.issuePagingNum })
    const [{ keys, ...found }, choices] = await Promise.all([
      findWideByQuery(ctx, { ownerId: org.id }, query, at),
      choicesOf(ctx),
    ])
    const { rows, around } = await placed(ctx, keys)
    const marks = await getPullMarks(
      ctx,
      rows.map(({ row }) => row),
    )
    return {
      path: orgPath(org, 'issues'),
      name: org.name,
      query,
      text: q.trim() || writeIssueQuery(usual),
      found,
      rows,
      around,
      marks,
      choices,
      page: at.number,
      pageSize: at.limit,
    }
  },
  meta: ({ name, path }) => ({ title: texts.listTitle(texts.kinds.issues, name), canonical: path }),
  view: OrganizationIssuesView,
})
