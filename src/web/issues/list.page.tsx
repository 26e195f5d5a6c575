import { mayHere } from '../../access/may-here.ts'
import type { RepoCtx, SignedInRepoCtx } from '../../access/context.ts'
import { canRead, inRepo, issuesEnabled, notArchived, pullsEnabled } from '../../access/repo.requirements.ts'
import { Invalid, Moved } from '../../lib/errors.ts'
import { pageOf } from '../../lib/paging.ts'
import { changedAtMost, readNumbers, writeNumbers } from '../../issues/bulk.rules.ts'
import { changeMany, undoMany, type BulkChange } from '../../issues/bulk.service.ts'
import { mayManage } from '../../issues/issue.policy.ts'
import { findByQuery, getChoices } from '../../issues/lists/query-list.service.ts'
import { getPinned } from '../../issues/social/pin.service.ts'
import { parseIssueQuery, usualQuery, writeIssueQuery } from '../../issues/search/query.parse.ts'
import { getPullMarks } from '../../pulls/merge/pull-marks.service.ts'
import { listRecentBranches } from '../../pulls/recent-branch.service.ts'
import { inRepositoryFrame } from '../frames/repository-frame.tsx'
import { act, page, type ActResult } from '../shell/page.tsx'
import { pathOf, withQuery } from '../ui/paths.ts'
import { IssueListView, type IssueListProps } from './list.view.tsx'
import { issueTexts as texts } from '../languages/texts.ts'
import { integer, text, textList } from '../ui/fields.ts'
import { inReadersWords } from '../languages/refusals.ts'

const listQuery = { q: text, page: integer } as const
/** Page size of lists on pages; `[ui] ISSUE_PAGING_NUM`. */
const pageLimits = (ctx: RepoCtx) => ({ ...ctx.config.api, defaultPagingNum: ctx.config.ui.issuePagingNum })

async function loadList(
  ctx: RepoCtx,
  kind: 'issues' | 'pulls',
  search: { readonly q?: string; readonly page?: number },
): Promise<IssueListProps> {
  const query = search.q === undefined || search.q.trim() === '' ? usualQuery : parseIssueQuery(search.q)
  const text = search.q?.trim() || writeIssueQuery(usualQuery)
  const at = pageOf({ page: search.page }, pageLimits(ctx))
  if (query.kind !== undefined && query.kind !== kind) {
    // The other kind has a list of its own.
    const list = pathOf(ctx.owner.name, ctx.repo.name, query.kind)
    throw new Moved(303, withQuery(list, { q: text, page: search.page }))
  }
  const isPull = kind === 'pulls'
  const isUsual = at.number === 1 && writeIssueQuery(query) === writeIssueQuery(usualQuery)
  const [found, choices, pinned, recent] = await Promise.all([
    findByQuery(ctx, query, kind, at),
    getChoices(ctx),
    isUsual ? getPinned(ctx, isPull) : [],
    isUsual && isPull ? listRecentBranches(ctx) : [],
  ])
  const { repo, owner } = ctx
  const { total, bound } = found.shown
  if (at.number > 1 && found.rows.length === 0 && total > 0 && !bound) {
    // The last page, when acts of the list have emptied this one.
    const list = pathOf(owner.name, repo.name, kind)
    throw new Moved(303, withQuery(list, { q: search.q, page: Math.ceil(total / at.limit) }))
  }
  const marks = await getPullMarks(ctx, found.rows)
  return {
    repository: { repo, owner },
    kind,
    marks,
    query,
    text,
    found,
    pinned,
    recent,
    choices,
    page: at.number,
    pageSize: at.limit,
    mayManage: mayHere(ctx).judge(() => mayManage(ctx.rights, { is_pull: isPull })).allowed,
    maySaveView: ctx.rights.has('projects') && mayHere(ctx).write('projects').allowed,
    isNew: (isPull ? repo.num_pulls : repo.num_issues) === 0,
  }
}

const metaOf = (kind: 'issues' | 'pulls', { owner, repo }: IssueListProps['repository']) => ({
  title: texts.listTitle(texts.kinds[kind], `${owner.name}/${repo.name}`),
  canonical: pathOf(owner.name, repo.name, kind),
})

/** The issues of a repository. */
export const repositoryIssues = page({
  path: '/{username}/{reponame}/issues',
  twin: 'issueListIssues',
  cost: 'usual',
  requires: [inRepo, issuesEnabled],
  query: listQuery,
  frame: inRepositoryFrame('issues'),
  load: ({ ctx, query }) => loadList(ctx, 'issues', query),
  meta: ({ repository }) => metaOf('issues', repository),
  view: IssueListView,
})

/** The pull requests of a repository. */
export const repositoryPulls = page({
  path: '/{username}/{reponame}/pulls',
  twin: 'repoListPullRequests',
  cost: 'usual',
  requires: [inRepo, pullsEnabled, canRead('code')],
  query: listQuery,
  frame: inRepositoryFrame('pulls'),
  load: ({ ctx, query }) => loadList(ctx, 'pulls', query),
  meta: ({ repository }) => metaOf('pulls', repository),
  view: IssueListView,
})

const bulkFields = {
  issue: textList,
  act: text,
  back: text,
  /** `true`: all that the query finds, instead of the selected ones. */
  all: text,
  q: text,
  /** What an undo takes back, as `changesText` writes it. */
  undo: text,
} as const

type BulkBody = { readonly [Name in Exclude<keyof typeof bulkFields, 'issue'>]?: string } & {
  readonly issue?: readonly string[]
}

/** Writes changes as a text, such as `unlabel:5=1-3;label:7=2`. */
const changesText = (changes: readonly BulkChange[]): string =>
  changes.map(({ change, indexes }) => `${change}=${writeNumbers(indexes)}`).join(';')

const changesOf = (text: string): readonly BulkChange[] =>
  text.split(';').flatMap((part) => {
    const [change = '', numbers = ''] = part.split('=')
    return /^(?:close|reopen|(?:un)?label:\d{1,15})$/.test(change) ? [{ change, indexes: readNumbers(numbers) }] : []
  })

/** Returns the numbers of what a form selects. */
async function selectedBy(ctx: RepoCtx, kind: 'issues' | 'pulls', body: BulkBody): Promise<readonly number[]> {
  if (body.all !== 'true') {
    return [...new Set((body.issue ?? []).map(Number))].filter((index) => Number.isSafeInteger(index))
  }
  const query = body.q === undefined || body.q.trim() === '' ? usualQuery : parseIssueQuery(body.q)
  const { rows } = await findByQuery(ctx, query, kind, { number: 1, limit: changedAtMost, offset: 0 })
  return rows.map(({ index }) => index)
}

/** Changes the selected rows and returns to the list that the form was on. */
async function runBulk(ctx: SignedInRepoCtx, kind: 'issues' | 'pulls', body: BulkBody): Promise<ActResult> {
  const isPull = kind === 'pulls'
  const list = pathOf(ctx.owner.name, ctx.repo.name, kind)
  const isOfList = body.back === list || body.back?.startsWith(`${list}?`)
  const back = isOfList && body.back ? body.back : list
  const indexes = body.undo === undefined ? await selectedBy(ctx, kind, body) : []
  if (body.undo === undefined && indexes.length === 0) throw new Invalid(texts.bulk.none, 'nothing_selected')
  const { changed, refused, problem, undo } =
    body.undo === undefined
      ? await changeMany(ctx, isPull, { change: body.act ?? '', indexes })
      : await undoMany(ctx, isPull, changesOf(body.undo))
  return {
    to: back,
    notice:
      problem === undefined
        ? texts.bulk.done(changed.length)
        : texts.bulk.partly(changed.length, refused, inReadersWords(problem)),
    ...(undo.length === 0 ? {} : { undo: { to: `${list}/bulk`, fields: { back, undo: changesText(undo) } } }),
  }
}

/** Changes several issues at once. */
export const changeIssues = act({
  path: '/{username}/{reponame}/issues/bulk',
  twin: 'issueEditIssue',
  cost: 'expensive',
  requires: [inRepo, issuesEnabled, notArchived],
  fields: bulkFields,
  again: repositoryIssues,
  run: ({ ctx, body }) => runBulk(ctx, 'issues', body),
})

/** Changes several pull requests at once. */
export const changePulls = act({
  path: '/{username}/{reponame}/pulls/bulk',
  twin: 'repoEditPullRequest',
  cost: 'expensive',
  requires: [inRepo, pullsEnabled, canRead('code'), notArchived],
  fields: bulkFields,
  again: repositoryPulls,
  run: ({ ctx, body }) => runBulk(ctx, 'pulls', body),
})
