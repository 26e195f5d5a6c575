import type { UserRow } from '../../../db/tables/accounts.ts'
import type { RepoRow } from '../../../db/tables/repositories.ts'
import { SubmitRow } from '../../ui/button.tsx'
import { Form } from '../../ui/form.tsx'
import { PageHead } from '../../ui/parts.tsx'
import { pathOf } from '../../ui/paths.ts'
import { OwnerAndName } from './owner-field.tsx'
import { newRepositoryTexts as texts } from '../../languages/texts.ts'

/** The form of a fork. */
export const ForkView = ({
  repo,
  owner,
  owners,
}: {
  readonly repo: RepoRow
  readonly owner: UserRow
  readonly owners: readonly UserRow[]
}) => (
  <div class="narrow">
    <PageHead title={texts.fork.title(`${owner.name}/${repo.name}`)} lead={texts.fork.lead} />
    <Form to={pathOf(owner.name, repo.name, 'fork')} class="stack">
      <OwnerAndName owners={owners} owner={owners.find((each) => each.id !== owner.id)?.name} name={repo.name} />
      <SubmitRow icon="repo-forked">{texts.fork.submit}</SubmitRow>
    </Form>
  </div>
)
