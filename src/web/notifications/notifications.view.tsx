import type { ComponentChildren } from 'preact'
import type { Page } from '../../lib/paging.ts'
import { threadReasons, threadStatuses, type ThreadReason, type ThreadStatus } from '../../db/tables/notifications.ts'
import type { RepoWithOwner } from '../../issues/repo-with-owner.ts'
import { formatUnix } from '../../lib/time.ts'
import type { CountedRepo, ThreadView } from '../../notifications/thread-view.present.ts'
import { numberText } from '../languages/amounts.ts'
import { conversationFrame } from '../shared/conversation-frame.view.tsx'
import { ActButton, Submit } from '../ui/button.tsx'
import { Form } from '../ui/form.tsx'
import { Icon } from '../ui/icon.tsx'
import type { IconName } from '../ui/icons.ts'
import { IssueIcon } from '../ui/issue-icon.tsx'
import { ButtonLink, Link } from '../ui/link.tsx'
import { usePage } from '../ui/page-context.ts'
import { Empty, Menu, MenuFilter, NarrowMenu, PageHead, Pages, Tabs } from '../ui/parts.tsx'
import { pathOf, withQuery } from '../ui/paths.ts'
import { Time } from '../ui/time.tsx'
import { TitleText } from '../ui/title-text.tsx'
import { notificationTexts as texts } from '../languages/texts.ts'
import { RowBox } from '../ui/row-box.tsx'
import { inboxPath, wordsOf, type InboxQuery } from './inbox-query.ts'

export interface NotificationsProps {
  readonly query: InboxQuery
  readonly threads: readonly ThreadView[]
  /** The numbers of notifications with each reason, in the chosen repository. */
  readonly reasons: ReadonlyMap<ThreadReason, number>
  /** The repositories with most notifications, for the chosen reason. */
  readonly repos: readonly CountedRepo[]
  /** Pull requests that the viewer has reviewed at an earlier commit, by issue. */
  readonly reviewedBefore: ReadonlySet<number>
  readonly unreadCount: number
  readonly page: Page
  readonly isLast: boolean
  readonly total: number | undefined
}

const formId = 'mark-selected'

const icons: Readonly<Record<ThreadStatus, IconName>> = { unread: 'inbox', read: 'check', pinned: 'pin' }

/** What a button does to a notification. */
const marksOf = (
  status: ThreadStatus,
): readonly {
  readonly to: ThreadStatus
  readonly label: string
  readonly icon: IconName
  readonly key: string
}[] => [
  status === 'unread'
    ? { to: 'read', label: texts.markRead, icon: 'check', key: 'e' }
    : {
        to: 'unread',
        label: status === 'pinned' ? texts.unpin : texts.markUnread,
        icon: status === 'pinned' ? 'pin-slash' : 'bell',
        key: 'e',
      },
  ...(status === 'pinned' ? [] : [{ to: 'pinned', label: texts.pin, icon: 'pin', key: 'p' } as const]),
]

const fullName = ({ repo, owner }: RepoWithOwner): string => `${owner.name}/${repo.name}`

export const NotificationsView = (props: NotificationsProps) => {
  const { query, threads, unreadCount, page, isLast, total } = props
  const { nowUnix } = usePage()
  const { status, reason, repo } = query
  const isFiltered = reason !== undefined || repo !== undefined
  return (
    <div class="inbox container" data-inbox="">
      <div class="inbox-list">
        <PageHead title={texts.title}>
          <NarrowMenu title={texts.acts}>
            <div class="line">
              <ButtonLink to="/notifications/subscriptions">{texts.subscriptions.title}</ButtonLink>
            </div>
            {status === 'unread' && threads.length > 0 ? (
              <ActButton
                to="/notifications/read"
                icon="check"
                hidden={{
                  ...wordsOf(query),
                  last_read_at: formatUnix(nowUnix),
                  ...(reason === undefined ? {} : { of_reason: reason }),
                  ...(repo === undefined ? {} : { of_repo: repo }),
                }}
              >
                {isFiltered ? texts.theseRead : texts.allRead}
              </ActButton>
            ) : null}
          </NarrowMenu>
        </PageHead>
        <Tabs
          label={texts.tabs}
          tabs={threadStatuses.map((name) => ({
            label: texts[name],
            to: inboxPath({ ...query, status: name }),
            icon: icons[name],
            count: name === 'unread' ? unreadCount : undefined,
            isCurrent: name === status,
          }))}
        />
        <Filters {...props} />
        {threads.length === 0 ? (
          <Empty
            icon={isFiltered ? 'search' : status === 'unread' ? 'check-circle' : icons[status]}
            title={isFiltered ? texts.nothingFound : texts.empty[status]}
          >
            {isFiltered ? (
              <div class="acts">
                <ButtonLink to={inboxPath({ ...query, reason: undefined, repo: undefined })}>
                  {texts.showAll}
                </ButtonLink>
              </div>
            ) : (
              <p>{texts.emptyHint[status]}</p>
            )}
          </Empty>
        ) : (
          <div class="stack notifications" data-rows-group="">
            <Form to="/notifications/mark" id={formId} class="line small mark-bar" hidden={wordsOf(query)}>
              <div>
                <span class="muted mark-word">{texts.selected}</span>
                {marksOf(status).map(({ to, label, icon, key }) => (
                  <Submit kind="quiet" class="small" name="status" value={to} icon={icon} data-row-key={key}>
                    {label}
                  </Submit>
                ))}
              </div>
              <span class="muted needs-script mark-keys">
                {texts.keys(status).map(([key, meaning]) => (
                  <span>
                    <kbd>{key}</kbd> {meaning}
                  </span>
                ))}
              </span>
            </Form>
            {groupsOf(props).map((group) => (
              <Group {...props} {...group} />
            ))}
          </div>
        )}
        <Pages page={page.number} isLast={isLast} total={total} pageSize={page.limit} />
      </div>
      {/* A script enables it on a wide window. */}
      <turbo-frame id={conversationFrame} class="inbox-conversation" refresh="morph" data-turbo-permanent="" disabled>
        <p class="muted inbox-hint">{texts.openHint}</p>
      </turbo-frame>
    </div>
  )
}

/** Menus that limit the list to a reason or a repository, and the choice of its groups. */
const Filters = ({ query, reasons, repos }: NotificationsProps) => {
  const item = (changed: Partial<InboxQuery>, isCurrent: boolean, label: string, count?: number) => (
    <li>
      <Link to={inboxPath({ ...query, ...changed })} aria-current={isCurrent ? 'true' : undefined}>
        {label}
        {count === undefined ? null : <span class="end muted">{numberText(count)}</span>}
      </Link>
    </li>
  )
  return (
    <div class="line inbox-filters">
      <Menu
        label={
          <>
            <span>{query.reason === undefined ? texts.everyReason : texts.reasons[query.reason]}</span>
            <Icon name="triangle-down" />
          </>
        }
        class="small"
      >
        <ul>
          {item({ reason: undefined }, query.reason === undefined, texts.everyReason)}
          {threadReasons
            .filter((each) => (reasons.get(each) ?? 0) > 0 || each === query.reason)
            .map((each) => item({ reason: each }, each === query.reason, texts.reasons[each], reasons.get(each) ?? 0))}
        </ul>
      </Menu>
      <Menu
        label={
          <>
            <span>{query.repo ?? texts.everyRepository}</span>
            <Icon name="triangle-down" />
          </>
        }
        class="small"
      >
        {repos.length > 8 ? <MenuFilter list="inbox_repositories" label={texts.findRepository} /> : null}
        <ul id="inbox_repositories">
          {item({ repo: undefined }, query.repo === undefined, texts.everyRepository)}
          {repos.map((each) =>
            item({ repo: fullName(each) }, fullName(each) === query.repo, fullName(each), each.count),
          )}
        </ul>
      </Menu>
      <span class="spacer" />
      <NarrowMenu title={texts.groups}>
        <div class="button-group" role="group" aria-label={texts.groups}>
          {(['reason', 'repository'] as const).map((group) => (
            <Link
              class="button plain small"
              to={inboxPath({ ...query, group })}
              aria-current={group === query.group ? 'true' : undefined}
            >
              {texts.groupBy[group]}
            </Link>
          ))}
        </div>
      </NarrowMenu>
    </div>
  )
}

interface ThreadGroup {
  readonly title: ComponentChildren
  readonly rows: readonly ThreadView[]
  /** What selects the unread notifications of the group. */
  readonly of: Readonly<Record<string, string>>
}

/** Returns the notifications of a page in groups: by reason, the strongest first, or by repository, the newest first. */
function groupsOf({ query, threads }: NotificationsProps): ThreadGroup[] {
  const { reason: ofReason, repo: ofRepo } = query
  const chosen = {
    ...(ofReason === undefined ? {} : { of_reason: ofReason }),
    ...(ofRepo === undefined ? {} : { of_repo: ofRepo }),
  }
  if (query.group === 'reason') {
    const groups = Map.groupBy(threads, (each) => each.thread.reason)
    return threadReasons.flatMap((reason) => {
      const rows = groups.get(reason)
      return rows ? [{ title: texts.reasons[reason], rows, of: { ...chosen, of_reason: reason } }] : []
    })
  }
  return [...Map.groupBy(threads, (each) => each.repo.id).values()].flatMap((rows) => {
    const [first] = rows
    if (!first) return []
    const { repo, owner } = first
    const title = (
      <Link class="plain-link" to={pathOf(owner.name, repo.name)}>
        {fullName(first)}
      </Link>
    )
    return [{ title, rows, of: { ...chosen, of_repo: fullName(first) } }]
  })
}

const Group = ({ query, reviewedBefore, title, rows, of }: NotificationsProps & ThreadGroup) => {
  const { nowUnix } = usePage()
  return (
    <RowBox
      head={
        <>
          <h2>{title}</h2>
          <span class="spacer" />
          {query.status === 'unread' ? (
            <ActButton
              to="/notifications/read"
              kind="quiet"
              class="small"
              hidden={{ ...wordsOf(query), ...of, last_read_at: formatUnix(nowUnix) }}
            >
              <span class="wide-only">{texts.groupRead}</span>
              <span class="narrow-only">{texts.groupReadShort}</span>
            </ActButton>
          ) : null}
        </>
      }
      rows={rows}
      links
    >
      {(each) => (
        <Row {...each} query={query} isReviewedBefore={each.issue !== undefined && reviewedBefore.has(each.issue.id)} />
      )}
    </RowBox>
  )
}

/** Events that ask something of the person. */
const directed: ReadonlySet<string> = new Set(['assigned', 'requested'])

/** Events after which a reviewer looks at the new changes. */
const reviewed: ReadonlySet<string> = new Set(['pushed', 'readied', 'requested'])

/** Returns where a notification leads: to its comment, to the changes since the last review, or to its subject. */
function addressOf(
  { issue, repo, owner, reason }: ThreadView,
  isReviewedBefore: boolean,
): { readonly address: string; readonly isConversation: boolean } {
  if (!issue) return { address: pathOf(owner.name, repo.name), isConversation: false }
  const page = pathOf(owner.name, repo.name, issue.is_pull ? 'pulls' : 'issues', issue.index)
  if (reason?.commentId !== undefined) {
    return { address: `${page}#issuecomment-${reason.commentId}`, isConversation: true }
  }
  return isReviewedBefore && reason && reviewed.has(reason.what)
    ? { address: withQuery(`${page}/files`, { since: 'review' }), isConversation: false }
    : { address: page, isConversation: true }
}

const Row = ({
  query,
  isReviewedBefore,
  ...view
}: ThreadView & { readonly query: InboxQuery; readonly isReviewedBefore: boolean }) => {
  const { thread, issue, reason } = view
  const to = addressOf(view, isReviewedBefore)
  const title = issue ? issue.title : texts.transfer
  const isForYou = reason?.isMention || (reason && directed.has(reason.what))
  return (
    <li class="row issue-line" id={`thread-${thread.id}`}>
      <input type="checkbox" name="ids" value={thread.id} form={formId} aria-label={texts.select(title)} />
      {issue ? <IssueIcon issue={issue} class="row-icon" /> : <Icon name="repo" class="row-icon" />}
      <div class="row-main">
        <Link
          class="row-title"
          to={to.address}
          data-row-link=""
          data-turbo-frame={to.isConversation ? conversationFrame : undefined}
        >
          <TitleText text={title} />
        </Link>
        <div class="row-facts">
          {issue ? (
            <span>
              {query.group === 'reason' ? `${fullName(view)} ` : ''}#{issue.index}
            </span>
          ) : null}
          {reason && issue ? (
            <span class={isForYou ? 'for-you' : undefined}>{texts.reason(reason, issue.merged_unix > 0)}</span>
          ) : null}
          <Time unix={Math.floor(thread.updated_ms / 1000)} />
        </div>
      </div>
      <div class="row-side row-acts">
        {marksOf(query.status).map((mark) => (
          <ActButton
            to="/notifications/mark"
            kind="quiet"
            class="icon-only small"
            icon={mark.icon}
            title={`${mark.label} (${mark.key})`}
            aria-label={`${mark.label}: ${title}`}
            data-row-key={mark.key}
            hidden={{ ...wordsOf(query), ids: thread.id, status: mark.to }}
          />
        ))}
      </div>
    </li>
  )
}
