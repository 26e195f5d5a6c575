import type { UserRow } from '../../../db/tables/accounts.ts'
import type { RepoRow } from '../../../db/tables/repositories.ts'
import { SubmitRow } from '../../ui/button.tsx'
import { Checkbox, Field } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { usePage } from '../../ui/page-context.ts'
import { PageHead } from '../../ui/parts.tsx'
import { pathOf } from '../../ui/paths.ts'
import { OwnerAndName, Visibility } from './owner-field.tsx'
import { newRepositoryTexts } from '../../languages/texts.ts'

const texts = newRepositoryTexts.generate

/** The form of a repository that begins as a copy of a template. */
export const GenerateView = ({
  repo,
  owner,
  owners,
}: {
  readonly repo: RepoRow
  readonly owner: UserRow
  readonly owners: readonly UserRow[]
}) => {
  const { config } = usePage()
  return (
    <div class="narrow">
      <PageHead title={texts.title(`${owner.name}/${repo.name}`)} lead={texts.lead} />
      <Form to={pathOf(owner.name, repo.name, 'generate')} class="stack">
        <OwnerAndName owners={owners} />
        <Field
          name="description"
          label={newRepositoryTexts.description}
          value={repo.description}
          maxlength={2048}
          isProse
        />
        <Visibility isPrivate={repo.is_private} />
        <fieldset class="stack tight">
          <legend>{texts.takes}</legend>
          {Object.entries(texts.items).map(([name, [label, hint]]) =>
            name === 'git_hooks' && config.security.disableGitHooks ? null : (
              <Checkbox
                name={name}
                label={label}
                {...(hint === undefined ? {} : { hint })}
                checked={name === 'git_content' || name === 'topics' || name === 'labels'}
              />
            ),
          )}
        </fieldset>
        <Field name="default_branch" label={texts.branch} value={repo.default_branch} required maxlength={100} />
        <SubmitRow icon="repo-template">{texts.submit}</SubmitRow>
      </Form>
    </div>
  )
}
