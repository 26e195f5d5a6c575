import { mayHere } from '../../access/may-here.ts'
import { shortCommit } from '../../code/commits/message.rules.ts'
import type { RepoCtx } from '../../access/context.ts'
import { repoUnderQuota } from '../../access/quota/quota.requirements.ts'
import { canWrite, inRepo, notArchived, wikiEnabled } from '../../access/repo.requirements.ts'
import { escapedPathAfter } from '../../http/path.ts'
import { Moved, NotFound } from '../../lib/errors.ts'
import { withLineEnds } from '../../lib/line-ends.ts'
import { pageOf } from '../../lib/paging.ts'
import { repoCloneUrl } from '../../repos/repo-url.ts'
import { renderText } from '../../site/render.service.ts'
import { createPage, deletePage, editPage } from '../../wiki/page-change.service.ts'
import { parsePageAddress, titleOfName, type PageAddress } from '../../wiki/page-name.rules.ts'
import { getPage, listPages, listPageTitles, listRevisions, type WholePage } from '../../wiki/page.service.ts'
import { inRepositoryFrame } from '../frames/repository-frame.tsx'
import { inSession } from '../shell/browser.requirements.ts'
import { act, page } from '../shell/page.tsx'
import { pathOf } from '../ui/paths.ts'
import { wikiTexts as texts } from '../languages/texts.ts'
import { WikiFormView } from './wiki-form.view.tsx'
import { WikiHistoryView, WikiListView, WikiView } from './wiki.view.tsx'
import { integer, text } from '../ui/fields.ts'

/** Number of path segments before the page name. */
const segmentsBefore = 4
const addressOf = (call: { readonly url: string }): PageAddress =>
  parsePageAddress(escapedPathAfter(call, segmentsBefore))

const wikiPath = ({ owner, repo }: Pick<RepoCtx, 'owner' | 'repo'>): string => pathOf(owner.name, repo.name, 'wiki')
const pagePath = (ctx: Pick<RepoCtx, 'owner' | 'repo'>, { subUrl }: Pick<WholePage, 'subUrl'>): string =>
  `${wikiPath(ctx)}/${subUrl}`

/** Most pages in the list at the side; the list of all pages has the others. */
const maxAtSide = 100
const homeName = 'Home'

/** Returns what `find` finds; undefined when it does not exist. */
async function ifThere<Found>(find: Promise<Found>): Promise<Found | undefined> {
  try {
    return await find
  } catch (error) {
    if (error instanceof NotFound) return undefined
    throw error
  }
}

/** What all pages of a wiki show. */
const repositoryOf = (ctx: RepoCtx) => ({
  repo: ctx.repo,
  owner: ctx.owner,
  mayEdit: mayHere(ctx).push('wiki').allowed,
  cloneUrl: repoCloneUrl({ ...ctx, repo: { name: `${ctx.repo.name}.wiki` } }),
})

async function shownPage(ctx: RepoCtx, address: PageAddress) {
  const [found, titles = []] = await Promise.all([
    ifThere(getPage(ctx, address)),
    ifThere(listPageTitles(ctx, maxAtSide)),
  ])
  const context = pathOf(ctx.owner.name, ctx.repo.name)
  const render = (source: Buffer, part: { readonly idScope?: string } = {}) =>
    renderText(ctx, source.toString('utf8'), 'gfm', { context, wiki: true, isForPage: true, ...part }, ctx)
  const [content, sidebar, footer] = found
    ? await Promise.all([
        render(found.content),
        render(found.sidebar, { idScope: 'sidebar' }),
        render(found.footer, { idScope: 'footer' }),
      ])
    : ['', '', '']
  return {
    repository: repositoryOf(ctx),
    title: found?.title ?? titleOfName(address.name),
    shown: found && { page: found, content, sidebar, footer },
    titles,
  }
}

export const wikiHomePage = page({
  path: '/{username}/{reponame}/wiki',
  twin: 'repoGetWikiPages',
  cost: 'usual',
  requires: [inRepo, wikiEnabled],
  query: { action: text },
  frame: inRepositoryFrame('wiki'),
  async load({ ctx, query }) {
    if (query.action === '_new' || query.action === '_pages') throw new Moved(303, `${wikiPath(ctx)}/${query.action}`)
    const data = await shownPage(ctx, { name: homeName, subUrl: homeName })
    // A wiki without a home page begins with its list.
    if (!data.shown && data.titles.length > 0) throw new Moved(303, `${wikiPath(ctx)}/_pages`)
    return data
  },
  meta: ({ title, repository }) => ({ title: texts.title(title, `${repository.owner.name}/${repository.repo.name}`) }),
  view: WikiView,
})

export const wikiPage = page({
  path: '/{username}/{reponame}/wiki/{pageName+}',
  twin: 'repoGetWikiPage',
  cost: 'usual',
  requires: [inRepo, wikiEnabled],
  frame: inRepositoryFrame('wiki'),
  async load({ ctx, call }) {
    const data = await shownPage(ctx, addressOf(call))
    // Writers are offered to create it.
    if (!data.shown && !data.repository.mayEdit) {
      throw new NotFound('the wiki page does not exist', 'wiki_page_not_found')
    }
    return data
  },
  meta: ({ title, repository, shown }) => ({
    title: texts.title(title, `${repository.owner.name}/${repository.repo.name}`),
    isUnlisted: shown === undefined,
  }),
  view: WikiView,
})

export const wikiListPage = page({
  path: '/{username}/{reponame}/wiki/_pages',
  twin: 'repoGetWikiPages',
  cost: 'expensive',
  requires: [inRepo, wikiEnabled],
  query: { page: integer },
  frame: inRepositoryFrame('wiki'),
  async load({ ctx, query }) {
    const wanted = pageOf({ page: query.page }, { defaultPagingNum: 100, maxResponseItems: 100 })
    const found = await ifThere(listPages(ctx, wanted))
    return { repository: repositoryOf(ctx), pages: found?.pages ?? [], total: found?.total ?? 0, page: wanted }
  },
  meta: ({ repository }) => ({ title: texts.title(texts.pages, `${repository.owner.name}/${repository.repo.name}`) }),
  view: WikiListView,
})

export const wikiHistoryPage = page({
  path: '/{username}/{reponame}/wiki/{pageName+}',
  twin: 'repoGetWikiPageRevisions',
  whenQuery: { action: '_revision' },
  requires: [inRepo, wikiEnabled],
  query: { page: integer, action: text },
  cost: 'expensive',
  frame: inRepositoryFrame('wiki'),
  async load({ ctx, call, query }) {
    const { commitsRangeSize } = ctx.config.git
    const wanted = pageOf(
      { page: query.page },
      { defaultPagingNum: commitsRangeSize, maxResponseItems: commitsRangeSize },
    )
    const address = addressOf(call)
    const { commits, total } = await listRevisions(ctx, address.name, wanted)
    return {
      repository: repositoryOf(ctx),
      title: titleOfName(address.name),
      to: pagePath(ctx, address),
      wiki: wikiPath(ctx),
      commits: commits.map(shortCommit),
      total,
      page: wanted,
    }
  },
  meta: ({ title }) => ({ title: texts.revisionsOf(title), isUnlisted: true }),
  view: WikiHistoryView,
})

export const newWikiPage = page({
  path: '/{username}/{reponame}/wiki/_new',
  twin: 'repoCreateWikiPage',
  cost: 'usual',
  requires: [inSession, inRepo, wikiEnabled, notArchived, canWrite('wiki')],
  query: { title: text },
  frame: inRepositoryFrame('wiki'),
  async load({ ctx, query }) {
    const titles = query.title === undefined ? await ifThere(listPageTitles(ctx, 1)) : []
    const to = `${wikiPath(ctx)}/_new`
    return {
      repository: repositoryOf(ctx),
      page: undefined,
      title: query.title ?? (titles?.length ? '' : texts.form.home),
      to,
      back: wikiPath(ctx),
    }
  },
  meta: () => ({ title: texts.form.newTitle, isUnlisted: true }),
  view: WikiFormView,
})

/** The text of a form with the line ends of the page before. */
const contentOf = (sent = '', before?: WholePage): Buffer =>
  Buffer.from(withLineEnds(before?.content.toString('utf8') ?? '', sent))

const problemFields = { wiki_title: 'title', wiki_page_exists: 'title' } as const

export const newWikiAct = act({
  path: '/{username}/{reponame}/wiki/_new',
  twin: 'repoCreateWikiPage',
  cost: 'expensive',
  requires: [inRepo, wikiEnabled, notArchived, canWrite('wiki'), repoUnderQuota('size:assets:wiki')],
  fields: { title: text, content: text, message: text, do: text },
  again: newWikiPage,
  problemFields,
  async run({ ctx, body }) {
    const made = await createPage(ctx, {
      title: body.title ?? '',
      content: contentOf(body.content),
      message: body.message?.trim() ?? '',
    })
    return { to: pagePath(ctx, made), notice: texts.form.created }
  },
})

export const editWikiPage = page({
  path: '/{username}/{reponame}/wiki/{pageName+}',
  twin: 'repoEditWikiPage',
  cost: 'usual',
  whenQuery: { action: '_edit' },
  requires: [inSession, inRepo, wikiEnabled, notArchived, canWrite('wiki')],
  query: { action: text },
  frame: inRepositoryFrame('wiki'),
  async load({ ctx, call }) {
    const address = addressOf(call)
    const found = await ifThere(getPage(ctx, address))
    if (!found) {
      throw new Moved(303, `${wikiPath(ctx)}/_new?title=${encodeURIComponent(titleOfName(address.name))}`)
    }
    const to = pagePath(ctx, address)
    return { repository: repositoryOf(ctx), page: found, title: found.title, to, back: to }
  },
  meta: ({ title }) => ({ title: texts.form.editTitle(title), isUnlisted: true }),
  view: WikiFormView,
})

export const editWikiAct = act({
  path: '/{username}/{reponame}/wiki/{pageName+}',
  twin: 'repoEditWikiPage',
  cost: 'expensive',
  requires: [inRepo, wikiEnabled, notArchived, canWrite('wiki'), repoUnderQuota('size:assets:wiki')],
  fields: {
    title: text,
    content: text,
    message: text,
    /** The commit that the form shows: a page that changed since is not overwritten. */
    seen: text,
    /** `delete` or `save`, by the form. */
    do: text,
  },
  again: editWikiPage,
  problemFields,
  async run({ ctx, body, call }) {
    const address = addressOf(call)
    const { name } = address
    const seen = body.seen || undefined
    if (body.do === 'delete') {
      await deletePage(ctx, name, seen)
      return { to: wikiPath(ctx), notice: texts.form.deleted(titleOfName(name)) }
    }
    const edited = await editPage(
      ctx,
      name,
      {
        title: body.title || titleOfName(name),
        content: contentOf(body.content, await ifThere(getPage(ctx, address))),
        message: body.message?.trim() ?? '',
      },
      seen,
    )
    return { to: pagePath(ctx, edited), notice: texts.form.saved }
  },
})
