import type { SignedInCtx } from '../../access/context.ts'
import { findMine, type MineView } from '../../issues/lists/personal-list.service.ts'
import { getPullMarks } from '../../pulls/merge/pull-marks.service.ts'
import { inSession } from '../shell/browser.requirements.ts'
import { page } from '../shell/page.tsx'
import { MineListView } from './mine.view.tsx'
import { mineTexts as texts } from '../languages/texts.ts'
import { integer, text } from '../ui/fields.ts'

const query = {
  type: text,
  state: text,
  q: text,
  page: integer,
} as const

const views: Readonly<Record<'issues' | 'pulls', readonly MineView[]>> = {
  issues: ['assigned', 'created', 'mentioned'],
  pulls: ['review_requested', 'assigned', 'created', 'mentioned', 'reviewed'],
}

async function loadMine(
  ctx: SignedInCtx,
  kind: 'issues' | 'pulls',
  query: { readonly type?: string; readonly state?: string; readonly q?: string; readonly page?: number },
) {
  const offered = views[kind]
  const view = offered.find((each) => each === query.type) ?? offered[0] ?? 'assigned'
  const state = query.state === 'closed' ? 'closed' : 'open'
  const words = query.q?.trim() ?? ''
  const found = await findMine(ctx, kind, { view, state, words, page: query.page })
  return {
    kind,
    views: offered,
    view,
    state,
    words,
    found,
    marks: await getPullMarks(
      ctx,
      found.rows.map(({ row }) => row),
    ),
  } as const
}

/** The issues of all repositories that concern the person. */
export const myIssuesPage = page({
  path: '/issues',
  twin: 'issueSearchIssues',
  cost: 'usual',
  requires: [inSession],
  query,
  load: ({ ctx, query }) => loadMine(ctx, 'issues', query),
  meta: () => ({ title: texts.kinds.issues, isUnlisted: true }),
  view: MineListView,
})

/** The pull requests of all repositories that concern the person. */
export const myPullsPage = page({
  path: '/pulls',
  twin: 'issueSearchIssues',
  cost: 'usual',
  requires: [inSession],
  query,
  load: ({ ctx, query }) => loadMine(ctx, 'pulls', query),
  meta: () => ({ title: texts.kinds.pulls, isUnlisted: true }),
  view: MineListView,
})
