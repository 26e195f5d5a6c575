import type { RecentBranch } from '../../../pulls/recent-branch.service.ts'
import { Icon } from '../../ui/icon.tsx'
import { ButtonLink, Link } from '../../ui/link.tsx'
import { Time } from '../../ui/time.tsx'
import { comparedSideText } from '../../../code/commits/compared-side.rules.ts'
import { pathOf } from '../../ui/paths.ts'
import { comparePath } from './compare-address.ts'
import { codeTexts } from '../../languages/texts.ts'

/** Branches that the viewer pushed recently, each with the way to its pull request. */
export const RecentBranches = ({ branches }: { readonly branches: readonly RecentBranch[] }) => {
  const texts = codeTexts.recent
  if (branches.length === 0) return null
  return (
    <section class="recent-branches stack tight" aria-label={texts.title}>
      {branches.map(({ head, base, pushedUnix }) => (
        <div class="fork-state">
          <Icon name="git-branch" />
          <span>
            {texts.pushed}{' '}
            <Link to={pathOf(head.owner.name, head.repo.name, 'src/branch', head.name)}>
              {comparedSideText(base, head)}
            </Link>{' '}
            <Time unix={pushedUnix} />
          </span>
          <ButtonLink to={comparePath(base, head, { open: 1 })} class="small">
            {texts.open}
          </ButtonLink>
        </div>
      ))}
    </section>
  )
}
