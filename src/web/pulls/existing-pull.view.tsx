import { Flash } from '../ui/parts.tsx'
import { Link } from '../ui/link.tsx'
import { TitleText } from '../ui/title-text.tsx'
import { pathOf } from '../ui/paths.ts'
import { pullTexts as texts } from '../languages/texts.ts'

/** Leads to the pull request that is open between two branches already. */
export const ExistingPull = ({
  repository,
  pull,
}: {
  readonly repository: { readonly owner: { readonly name: string }; readonly repo: { readonly name: string } }
  readonly pull: { readonly index: number; readonly title: string }
}) => (
  <Flash tone="info">
    <p>
      {texts.existing}{' '}
      <Link to={pathOf(repository.owner.name, repository.repo.name, 'pulls', pull.index)}>
        <TitleText text={pull.title} /> <span class="muted">#{pull.index}</span>
      </Link>
    </p>
  </Flash>
)
