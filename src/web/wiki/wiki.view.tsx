import { subjectOf } from '../../code/commits/message.rules.ts'
import type { RepoCtx } from '../../access/context.ts'
import type { Commit } from '../../git/git.ts'
import type { Page } from '../../lib/paging.ts'
import type { ListedPage, WholePage } from '../../wiki/page.service.ts'
import { ButtonLink, Link } from '../ui/link.tsx'
import { CopyField, Empty, Markup, PageHead, Pages } from '../ui/parts.tsx'
import { pathOf, withQuery } from '../ui/paths.ts'
import { Time } from '../ui/time.tsx'
import { wikiTexts as texts } from '../languages/texts.ts'
import { RowBox } from '../ui/row-box.tsx'

/** The wiki of a page. */
export interface WikiRepository extends Pick<RepoCtx, 'repo' | 'owner'> {
  readonly mayEdit: boolean
  readonly cloneUrl: string
}

const wikiOf = ({ owner, repo }: WikiRepository) => pathOf(owner.name, repo.name, 'wiki')

type Title = Pick<ListedPage, 'title' | 'subUrl'>

/** A page of a wiki, or what to do when it does not exist. */
export const WikiView = ({
  repository,
  title,
  shown,
  titles,
}: {
  readonly repository: WikiRepository
  readonly title: string
  readonly shown:
    | { readonly page: WholePage; readonly content: string; readonly sidebar: string; readonly footer: string }
    | undefined
  readonly titles: readonly Title[]
}) => {
  if (shown === undefined) return <MissingPage repository={repository} title={title} isEmpty={titles.length === 0} />
  const { page, content, sidebar, footer } = shown
  const to = `${wikiOf(repository)}/${page.subUrl}`
  return (
    <>
      <PageHead title={page.title} lead={<LastChange page={page} to={to} />}>
        <ButtonLink to={withQuery(to, { action: '_revision' })} icon="history">
          {texts.history}
        </ButtonLink>
        {repository.mayEdit ? (
          <>
            <ButtonLink to={withQuery(to, { action: '_edit' })} icon="pencil">
              {texts.edit}
            </ButtonLink>
            <ButtonLink to={`${wikiOf(repository)}/_new`} kind="primary">
              {texts.new}
            </ButtonLink>
          </>
        ) : null}
      </PageHead>
      <div class="columns wiki">
        <div>
          <Markup html={content} class="wiki-text" />
          {footer.trim() === '' ? null : (
            <footer class="wiki-footer">
              <Markup html={footer} />
            </footer>
          )}
        </div>
        <aside class="stack">
          {sidebar.trim() === '' ? null : <Markup html={sidebar} class="wiki-sidebar" />}
          <nav class="wiki-pages" aria-label={texts.pages}>
            <h2>
              <Link class="plain-link" to={`${wikiOf(repository)}/_pages`}>
                {texts.pages}
              </Link>
            </h2>
            <ul>
              {titles.map((each) => (
                <li>
                  <Link
                    to={`${wikiOf(repository)}/${each.subUrl}`}
                    aria-current={each.title === page.title ? 'page' : undefined}
                  >
                    {each.title}
                  </Link>
                </li>
              ))}
            </ul>
          </nav>
          <CopyField text={repository.cloneUrl} label={texts.cloneAddress} />
        </aside>
      </div>
    </>
  )
}

const LastChange = ({ page, to }: { readonly page: WholePage; readonly to: string }) =>
  page.lastCommit === undefined ? null : (
    <>
      {texts.changed(<span>{page.lastCommit.author.name}</span>, <Time unix={page.lastCommit.author.unixSeconds} />)}
      {' · '}
      <Link class="plain-link" to={withQuery(to, { action: '_revision' })}>
        {texts.revisions(page.commitCount)}
      </Link>
    </>
  )

const MissingPage = ({
  repository,
  title,
  isEmpty,
}: {
  readonly repository: WikiRepository
  readonly title: string
  readonly isEmpty: boolean
}) => (
  <Empty icon="book" title={isEmpty ? texts.empty : texts.missing(title)}>
    {isEmpty ? <p>{texts.emptyLead}</p> : null}
    {repository.mayEdit ? (
      <p class="acts">
        <ButtonLink kind="primary" to={withQuery(`${wikiOf(repository)}/_new`, { title })}>
          {isEmpty ? texts.first : texts.create}
        </ButtonLink>
      </p>
    ) : null}
  </Empty>
)

/** All pages of a wiki. */
export const WikiListView = ({
  repository,
  pages,
  total,
  page,
}: {
  readonly repository: WikiRepository
  readonly pages: readonly ListedPage[]
  readonly total: number
  readonly page: Page
}) =>
  pages.length === 0 && page.number === 1 ? (
    <MissingPage repository={repository} title={texts.form.home} isEmpty />
  ) : (
    <>
      <PageHead title={texts.list.title}>
        {repository.mayEdit ? (
          <ButtonLink kind="primary" to={`${wikiOf(repository)}/_new`}>
            {texts.new}
          </ButtonLink>
        ) : null}
      </PageHead>
      <RowBox rows={pages} links>
        {(each) => (
          <li class="row">
            <div class="row-main">
              <Link class="row-title" to={`${wikiOf(repository)}/${each.subUrl}`}>
                {each.title}
              </Link>
              {each.lastCommit ? (
                <p class="row-facts">
                  <span>{each.lastCommit.author.name}</span>
                  <Time unix={each.lastCommit.author.unixSeconds} />
                </p>
              ) : null}
            </div>
          </li>
        )}
      </RowBox>
      <p class="hint">{texts.more}</p>
      <Pages page={page.number} total={total} pageSize={page.limit} />
    </>
  )

/** The commits that changed a page. */
export const WikiHistoryView = ({
  title,
  to,
  wiki,
  commits,
  total,
  page,
}: {
  readonly title: string
  /** The path of the page. */
  readonly to: string
  /** The path of the wiki. */
  readonly wiki: string
  readonly commits: readonly Commit[]
  readonly total: number
  readonly page: Page
}) => (
  <>
    <PageHead title={texts.revisionsOf(title)}>
      <ButtonLink to={to} icon="arrow-left">
        {texts.back}
      </ButtonLink>
    </PageHead>
    <RowBox rows={commits} links>
      {(commit) => (
        <li class="row">
          <div class="row-main">
            <Link class="row-title" to={`${wiki}/commit/${commit.oid}`}>
              {subjectOf(commit.message)}
            </Link>
            <p class="row-facts">
              <span>{commit.author.name}</span>
              <Time unix={commit.author.unixSeconds} />
            </p>
          </div>
          <code class="muted">{commit.oid.slice(0, 10)}</code>
        </li>
      )}
    </RowBox>
    <Pages page={page.number} total={total} pageSize={page.limit} />
  </>
)
