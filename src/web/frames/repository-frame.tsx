import type { ComponentChild } from 'preact'
import type { RepoCtx } from '../../access/context.ts'
import type { Config } from '../../config/load-config.ts'
import { getPendingTransfer, type PendingTransfer } from '../../repos/lifecycle/transfer.service.ts'
import { marksOf, visibleOrigin, type Marks } from '../../repos/social/marks.service.ts'
import { ActButton } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { Link, OutsideLink } from '../ui/link.tsx'
import { usePage } from '../ui/page-context.ts'
import { Counter, Flash, NarrowMenu, Tabs, Tag, type Tab } from '../ui/parts.tsx'
import { pathOf } from '../ui/paths.ts'
import type { IconName } from '../ui/icons.ts'
import { RepositoryPicture } from '../ui/repository-picture.tsx'
import { WatchMenu } from './watch-menu.view.tsx'
import type { BrowserCtx } from '../shell/browser-context.ts'
import type { Frame } from '../shell/page.tsx'
import { frameTexts, transferTexts } from '../languages/texts.ts'

const texts = frameTexts.repository

export type RepositoryTab =
  | 'code'
  | 'issues'
  | 'pulls'
  | 'projects'
  | 'actions'
  | 'packages'
  | 'releases'
  | 'wiki'
  | 'activity'
  | 'search'
  | 'settings'

/** The repository of a page: name, marks, tabs. */
export interface RepositoryFacts extends Pick<RepoCtx, 'repo' | 'owner' | 'rights'> {
  readonly marks: Marks
  readonly origin: Pick<RepoCtx, 'repo' | 'owner'> | undefined
  readonly transfer: PendingTransfer | undefined
}

/** Returns the frame of the pages of a repository. */
export const inRepositoryFrame =
  (current: RepositoryTab | undefined): Frame<RepoCtx & BrowserCtx> =>
  async (ctx) => {
    const isWholeHead = current === 'code'
    const [marks, origin, transfer] = await Promise.all([
      marksOf(ctx),
      visibleOrigin(ctx),
      isWholeHead ? getPendingTransfer(ctx) : undefined,
    ])
    const { repo, owner, rights } = ctx
    return (content) => <RepositoryFrame {...{ repo, owner, rights, marks, origin, transfer, current, content }} />
  }

/** Whether pages lead to the search of code. */
const offersCodeSearch = ({ serviceExplore }: Config): boolean => !serviceExplore.disableCodePage

/** The tabs that the viewer may open. */
function tabsOf({ repo, owner, rights }: RepositoryFacts, current: RepositoryTab | undefined): readonly Tab[] {
  const { config } = usePage()
  const at = (...parts: readonly string[]) => pathOf(owner.name, repo.name, ...parts)
  const tab = (
    name: RepositoryTab,
    isShown: boolean,
    parts: readonly string[],
    icon: IconName,
    more: Pick<Tab, 'count' | 'hotkey'> = {},
  ): readonly Tab[] =>
    isShown ? [{ label: texts[name], to: at(...parts), icon, isCurrent: current === name, ...more }] : []
  const openIssues = repo.num_issues - repo.num_closed_issues
  const openPulls = repo.num_pulls - repo.num_closed_pulls
  return [
    ...tab('code', rights.canRead('code'), [], 'code', { hotkey: 'g c' }),
    ...tab('issues', rights.modeOf('issues') > 0, ['issues'], 'issue-opened', { count: openIssues, hotkey: 'g i' }),
    ...tab('pulls', rights.modeOf('pulls') > 0 && rights.canRead('code'), ['pulls'], 'git-pull-request', {
      count: openPulls,
      hotkey: 'g p',
    }),
    ...tab('projects', rights.modeOf('projects') > 0, ['projects'], 'project', { hotkey: 'g b' }),
    ...tab('actions', config.actions.enabled && rights.modeOf('actions') > 0, ['actions'], 'play', { hotkey: 'g a' }),
    ...tab('packages', config.packages.enabled && rights.modeOf('packages') > 0, ['packages'], 'package'),
    ...tab('releases', rights.modeOf('releases') > 0, ['releases'], 'tag', { count: repo.num_releases }),
    ...tab('wiki', rights.modeOf('wiki') > 0, ['wiki'], 'book', { hotkey: 'g w' }),
    ...tab('activity', rights.canRead('code'), ['activity'], 'pulse'),
    ...tab('search', rights.canRead('code') && !repo.is_empty && offersCodeSearch(config), ['search'], 'search'),
    ...tab('settings', rights.isAdmin, ['settings'], 'gear'),
  ]
}

const RepositoryFrame = ({
  current,
  content,
  ...facts
}: RepositoryFacts & { readonly current: RepositoryTab | undefined; readonly content: ComponentChild }) => {
  const { repo, owner } = facts
  const isWholeHead = current === 'code'
  return (
    <>
      <div class="frame">
        <div class="container repo-head">
          <RepositoryName {...facts} />
          <RepositoryMarks {...facts} />
        </div>
        <Tabs label={texts.tabs} tabs={tabsOf(facts, current)} />
      </div>
      {repo.is_archived && isWholeHead ? (
        <div class="container">
          <Flash tone="warning">{texts.archivedSince}</Flash>
        </div>
      ) : null}
      {facts.transfer === undefined ? null : <Transfer {...facts} {...facts.transfer} />}
      <div class="container" data-repository={`${owner.name}/${repo.name}`}>
        {content}
      </div>
    </>
  )
}

/** The offer of the repository to another owner, with what the viewer can do about it. */
const Transfer = ({ repo, owner, rights, recipient, mayDecide }: RepositoryFacts & PendingTransfer) => {
  const at = (...parts: readonly string[]) => pathOf(owner.name, repo.name, ...parts)
  return (
    <div class="container">
      <Flash tone="info">
        <div class="line">
          <span>{transferTexts.offered(recipient.name)}</span>
          <div class="acts">
            {mayDecide ? (
              <>
                <ActButton to={at('action', 'accept_transfer')} class="small">
                  {transferTexts.accept}
                </ActButton>
                <ActButton to={at('action', 'reject_transfer')} class="small">
                  {transferTexts.reject}
                </ActButton>
              </>
            ) : null}
            {rights.isAdmin ? (
              <ActButton to={at('settings', 'transfer', 'cancel')} class="small">
                {transferTexts.cancel}
              </ActButton>
            ) : null}
          </div>
        </div>
      </Flash>
    </div>
  )
}

const RepositoryName = ({ repo, owner, origin }: RepositoryFacts) => (
  <div class="repo-name">
    <RepositoryPicture repo={repo} />
    <Link to={pathOf(owner.name)}>{owner.name}</Link>
    <span class="muted">/</span>
    <strong>
      <Link to={pathOf(owner.name, repo.name)}>{repo.name}</Link>
    </strong>
    {repo.is_private ? <Tag>{texts.private}</Tag> : null}
    {!repo.is_private && owner.visibility !== 'public' ? <Tag>{texts.internal}</Tag> : null}
    {repo.is_archived ? <Tag tone="warning">{texts.archived}</Tag> : null}
    {repo.is_template ? <Tag>{texts.template}</Tag> : null}
    {origin === undefined ? null : (
      <span class="repo-origin">
        {texts.forkedFrom}
        <Link to={pathOf(origin.owner.name, origin.repo.name)}>{`${origin.owner.name}/${origin.repo.name}`}</Link>
      </span>
    )}
    {repo.is_mirror && repo.original_url !== '' ? (
      <span class="repo-origin">
        {texts.mirrorOf}
        <OutsideLink href={repo.original_url}>{repo.original_url}</OutsideLink>
      </span>
    ) : null}
  </div>
)

/** A button beside the number of those who used it, which leads to their list. */
const WithCount = ({
  to,
  label,
  count,
  children,
}: {
  readonly to: string
  readonly label: string
  readonly count: number
  readonly children: ComponentChild
}) => (
  <div class="button-group">
    {children}
    <Link class="button plain small" to={to} aria-label={label}>
      <Counter count={count} />
    </Link>
  </div>
)

const RepositoryMarks = ({ repo, owner, marks }: RepositoryFacts) => {
  const { viewer, config } = usePage()
  const at = (...parts: readonly string[]) => pathOf(owner.name, repo.name, ...parts)
  const disabledBecause = viewer ? undefined : texts.signInFirst
  return (
    <NarrowMenu title={texts.marks} class="repo-marks">
      <WithCount to={at('watchers')} label={texts.watchers(repo.num_watches)} count={repo.num_watches}>
        {viewer ? (
          <WatchMenu {...{ repo, owner }} level={marks.watchLevel} />
        ) : (
          <ActButton to={at('watchers', 'add')} class="small" icon="eye" disabledBecause={disabledBecause}>
            {texts.watch}
          </ActButton>
        )}
      </WithCount>
      {config.repository.disableStars ? null : (
        <WithCount to={at('stars')} label={texts.stars(repo.num_stars)} count={repo.num_stars}>
          <ActButton
            to={at('stars', marks.isStarred ? 'remove' : 'add')}
            class="small"
            icon={marks.isStarred ? 'star-fill' : 'star'}
            disabledBecause={disabledBecause}
          >
            {marks.isStarred ? texts.unstar : texts.star}
          </ActButton>
        </WithCount>
      )}
      {config.repository.disableForks ? null : (
        <WithCount to={at('forks')} label={texts.forks(repo.num_forks)} count={repo.num_forks}>
          <Link
            class="button plain small"
            to={viewer ? at('fork') : `/user/login?redirect_to=${encodeURIComponent(at('fork'))}`}
          >
            <Icon name="repo-forked" />
            {texts.fork}
          </Link>
        </WithCount>
      )}
    </NarrowMenu>
  )
}
