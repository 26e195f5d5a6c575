import type { PersonalMilestones } from '../../issues/milestones/personal-milestones.service.ts'
import type { Page } from '../../lib/paging.ts'
import { Link } from '../ui/link.tsx'
import { Empty, PageHead, Pages } from '../ui/parts.tsx'
import { pathOf } from '../ui/paths.ts'
import { MilestoneFacts, StateTabs } from './milestone.view.tsx'
import { milestoneTexts as texts } from '../languages/texts.ts'
import { RowBox } from '../ui/row-box.tsx'

/** The milestones of the repositories that the person owns or contributes to. */
export const MyMilestonesView = ({
  rows,
  open,
  closed,
  isBounded,
  state,
  shown,
}: PersonalMilestones & { readonly state: 'open' | 'closed'; readonly shown: Page }) => (
  <div class="container">
    <PageHead title={texts.title} lead={texts.mineLead} />
    <RowBox
      head={<StateTabs to="/milestones" state={state} open={open} closed={closed} />}
      rows={rows}
      links
      empty={
        <Empty icon="milestone" title={state === 'open' ? texts.empty : texts.emptyClosed}>
          {state === 'open' ? <p>{texts.emptyLead}</p> : null}
        </Empty>
      }
    >
      {({ milestone, repo: { owner, repo } }) => (
        <li class="row milestone-row">
          <div class="row-main">
            <Link class="row-title" to={pathOf(owner.name, repo.name, 'milestone', milestone.id)} data-row-link="">
              {milestone.title}
            </Link>
            <p class="row-facts">
              <Link to={pathOf(owner.name, repo.name)}>
                {owner.name}/{repo.name}
              </Link>
            </p>
          </div>
          <MilestoneFacts milestone={milestone} />
        </li>
      )}
    </RowBox>
    {isBounded ? <p class="muted small list-note">{texts.mineBounded}</p> : null}
    <Pages page={shown.number} total={state === 'open' ? open : closed} pageSize={shown.limit} />
  </div>
)
