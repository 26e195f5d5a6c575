import type { Page } from '../../lib/paging.ts'
import { formatUnix, type Unix } from '../../lib/time.ts'
import type { ThreadView } from '../../notifications/thread-view.present.ts'
import { ActButton, Submit } from '../ui/button.tsx'
import { Form } from '../ui/form.tsx'
import { Icon } from '../ui/icon.tsx'
import type { IconName } from '../ui/icons.ts'
import { IssueIcon } from '../ui/issue-icon.tsx'
import { ButtonLink, Link } from '../ui/link.tsx'
import { usePage } from '../ui/page-context.ts'
import { Empty, PageHead, Pages, Tabs } from '../ui/parts.tsx'
import { pathOf, withQuery } from '../ui/paths.ts'
import { Time } from '../ui/time.tsx'
import { TitleText } from '../ui/title-text.tsx'
import { notificationTexts as texts } from '../languages/texts.ts'
import { RowBox } from '../ui/row-box.tsx'

export type NotificationTab = 'unread' | 'read' | 'pinned'

export interface NotificationsProps {
  readonly tab: NotificationTab
  readonly threads: readonly ThreadView[]
  /** Pull requests that the viewer has reviewed at an earlier commit, by issue. */
  readonly reviewedBefore: ReadonlySet<number>
  readonly unreadCount: number
  readonly page: Page
  readonly isLast: boolean
  readonly total: number | undefined
}

const formId = 'mark-selected'

const icons: Readonly<Record<NotificationTab, IconName>> = { unread: 'inbox', read: 'check', pinned: 'pin' }

/** What a button does to a notification. */
const marksOf = (
  tab: NotificationTab,
): readonly {
  readonly to: NotificationTab
  readonly label: string
  readonly icon: IconName
  readonly key: string
}[] => [
  tab === 'unread'
    ? { to: 'read', label: texts.markRead, icon: 'check', key: 'e' }
    : {
        to: 'unread',
        label: tab === 'pinned' ? texts.unpin : texts.markUnread,
        icon: tab === 'pinned' ? 'pin-slash' : 'bell',
        key: 'e',
      },
  ...(tab === 'pinned' ? [] : [{ to: 'pinned', label: texts.pin, icon: 'pin', key: 'p' } as const]),
]

export const NotificationsView = (props: NotificationsProps) => {
  const { tab, threads, unreadCount, page, isLast, total, reviewedBefore } = props
  const { nowUnix } = usePage()
  const groups = [...Map.groupBy(threads, (each) => each.repo.id).values()]
  return (
    <div class="container">
      <PageHead title={texts.title}>
        <ButtonLink to="/notifications/subscriptions">{texts.subscriptions.title}</ButtonLink>
        {unreadCount > 0 ? (
          <ActButton to="/notifications/read" icon="check" hidden={{ last_read_at: formatUnix(nowUnix) }}>
            {texts.allRead}
          </ActButton>
        ) : null}
      </PageHead>
      <Tabs
        label={texts.tabs}
        tabs={(['unread', 'read', 'pinned'] as const).map((name) => ({
          label: texts[name],
          to: name === 'unread' ? '/notifications' : `/notifications?q=${name}`,
          icon: icons[name],
          count: name === 'unread' ? unreadCount : undefined,
          isCurrent: name === tab,
        }))}
      />
      {threads.length === 0 ? (
        <Empty icon={tab === 'unread' ? 'check-circle' : icons[tab]} title={texts.empty[tab]}>
          <p>{texts.emptyHint[tab]}</p>
        </Empty>
      ) : (
        <div class="stack notifications" data-rows-group="">
          <Form to="/notifications/mark" id={formId} class="line small mark-bar" hidden={{ tab }}>
            <div>
              <span class="muted">{texts.selected}</span>
              {marksOf(tab).map(({ to, label, icon, key }) => (
                <Submit kind="quiet" class="small" name="status" value={to} icon={icon} data-row-key={key}>
                  {label}
                </Submit>
              ))}
            </div>
            <span class="muted needs-script mark-keys">
              {texts.keys(tab).map(([key, meaning]) => (
                <span>
                  <kbd>{key}</kbd> {meaning}
                </span>
              ))}
            </span>
          </Form>
          {groups.map((group) => (
            <Group threads={group} {...{ tab, nowUnix, reviewedBefore }} />
          ))}
        </div>
      )}
      <Pages page={page.number} isLast={isLast} total={total} pageSize={page.limit} />
    </div>
  )
}

const Group = ({
  threads,
  tab,
  nowUnix,
  reviewedBefore,
}: Pick<NotificationsProps, 'threads' | 'tab' | 'reviewedBefore'> & { readonly nowUnix: Unix }) => {
  const [first] = threads
  if (!first) return null
  const { repo, owner } = first
  return (
    <RowBox
      head={
        <>
          <h2>
            <Link class="plain-link" to={pathOf(owner.name, repo.name)}>
              {owner.name}/{repo.name}
            </Link>
          </h2>
          <span class="spacer" />
          {tab === 'unread' ? (
            <ActButton
              to="/notifications/read"
              kind="quiet"
              class="small"
              hidden={{ repository: repo.id, last_read_at: formatUnix(nowUnix) }}
            >
              {texts.repositoryRead}
            </ActButton>
          ) : null}
        </>
      }
      rows={threads}
      links
    >
      {(each) => (
        <Row {...each} tab={tab} isReviewedBefore={each.issue !== undefined && reviewedBefore.has(each.issue.id)} />
      )}
    </RowBox>
  )
}

/** Events that ask something of the person. */
const directed: ReadonlySet<string> = new Set(['assigned', 'requested'])

/** Events after which a reviewer looks at the new changes. */
const reviewed: ReadonlySet<string> = new Set(['pushed', 'readied', 'requested'])

/** Returns where a notification leads: to its comment, to the changes since the last review, or to its subject. */
function addressOf({ issue, repo, owner, reason }: ThreadView, isReviewedBefore: boolean): string {
  if (!issue) return pathOf(owner.name, repo.name)
  const page = pathOf(owner.name, repo.name, issue.is_pull ? 'pulls' : 'issues', issue.index)
  if (reason?.commentId !== undefined) return `${page}#issuecomment-${reason.commentId}`
  return isReviewedBefore && reason && reviewed.has(reason.what)
    ? withQuery(`${page}/files`, { since: 'review' })
    : page
}

const Row = ({
  tab,
  isReviewedBefore,
  ...view
}: ThreadView & { readonly tab: NotificationTab; readonly isReviewedBefore: boolean }) => {
  const { thread, issue, reason } = view
  const title = issue ? issue.title : texts.transfer
  const isForYou = reason?.isMention || (reason && directed.has(reason.what))
  return (
    <li class="row issue-line" id={`thread-${thread.id}`}>
      <input type="checkbox" name="ids" value={thread.id} form={formId} aria-label={texts.select(title)} />
      {issue ? <IssueIcon issue={issue} class="row-icon" /> : <Icon name="repo" class="row-icon" />}
      <div class="row-main">
        <Link class="row-title" to={addressOf(view, isReviewedBefore)} data-row-link="">
          <TitleText text={title} />
        </Link>
        <div class="row-facts">
          {issue ? <span>#{issue.index}</span> : null}
          {reason && issue ? (
            <span class={isForYou ? 'for-you' : undefined}>{texts.reason(reason, issue.merged_unix > 0)}</span>
          ) : null}
          <Time unix={Math.floor(thread.updated_ms / 1000)} />
        </div>
      </div>
      <div class="row-side row-acts">
        {marksOf(tab).map(({ to, label, icon, key }) => (
          <ActButton
            to="/notifications/mark"
            kind="quiet"
            class="icon-only small"
            icon={icon}
            title={`${label} (${key})`}
            aria-label={`${label}: ${title}`}
            data-row-key={key}
            hidden={{ tab, ids: thread.id, status: to }}
          />
        ))}
      </div>
    </li>
  )
}
