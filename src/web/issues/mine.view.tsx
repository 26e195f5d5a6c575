import type { FoundMine, MineView } from '../../issues/lists/personal-list.service.ts'
import { Form } from '../ui/form.tsx'
import { Icon } from '../ui/icon.tsx'
import { ButtonLink, Link } from '../ui/link.tsx'
import { Empty, PageHead, Pages, Tabs } from '../ui/parts.tsx'
import { withQuery } from '../ui/paths.ts'
import { IssueListRow, type RowMarks } from './row.view.tsx'
import { mineTexts as texts } from '../languages/texts.ts'
import { RowBox } from '../ui/row-box.tsx'

/** Issues or pull requests of all repositories that concern the person. */
export const MineListView = ({
  kind,
  views,
  view,
  state,
  words,
  found,
  marks,
}: {
  readonly kind: 'issues' | 'pulls'
  readonly views: readonly MineView[]
  readonly view: MineView
  readonly state: 'open' | 'closed'
  readonly words: string
  readonly found: FoundMine
  readonly marks: RowMarks
}) => {
  const at = `/${kind}`
  return (
    <div class="container">
      <PageHead title={texts.kinds[kind]}>
        <ButtonLink to="/user/projects" icon="project">
          {texts.boards}
        </ButtonLink>
      </PageHead>
      <Tabs
        label={texts.parts}
        tabs={views.map((each) => ({
          label: texts.views[each],
          to: withQuery(at, { type: each, q: words }),
          isCurrent: each === view,
        }))}
      />
      <div class="list-bar mine-bar">
        <Form to={at} method="get" role="search" class="list-search" hidden={{ type: view, state }}>
          <Icon name="search" />
          <input
            type="search"
            name="q"
            value={words}
            placeholder={texts.search}
            aria-label={texts.search}
            data-hotkey="/"
          />
        </Form>
        <nav class="button-group" aria-label={texts.state}>
          {(['open', 'closed'] as const).map((each) => (
            <Link
              class="button plain"
              to={withQuery(at, { type: view, state: each, q: words })}
              aria-current={each === state ? 'true' : undefined}
            >
              {texts[each]}
            </Link>
          ))}
        </nav>
      </div>
      <RowBox
        rows={found.rows}
        links
        empty={
          <Empty icon={kind === 'issues' ? 'issue-opened' : 'git-pull-request'} title={texts.empty}>
            <p>{texts.emptyLead}</p>
            <div class="acts">
              <ButtonLink to="/explore/repos">{texts.explore}</ButtonLink>
            </div>
          </Empty>
        }
      >
        {({ row, repo: repository }) => (
          <IssueListRow row={row} repository={repository} around={found.around} marks={marks} withRepository />
        )}
      </RowBox>
      <Pages page={found.page.number} total={found.total} pageSize={found.page.limit} />
    </div>
  )
}
