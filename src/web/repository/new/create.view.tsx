import type { UserRow } from '../../../db/tables/accounts.ts'
import { SubmitRow } from '../../ui/button.tsx'
import { Select } from '../../ui/field.tsx'
import { box, choicesOf, formOf, line, select } from '../../ui/form-fields.tsx'
import { Form } from '../../ui/form.tsx'
import { ButtonLink } from '../../ui/link.tsx'
import { usePage } from '../../ui/page-context.ts'
import { PageHead } from '../../ui/parts.tsx'
import { OwnerAndName, Visibility } from './owner-field.tsx'
import { newRepositoryTexts } from '../../languages/texts.ts'

const texts = newRepositoryTexts.create

interface CreateProps {
  readonly owners: readonly UserRow[]
  readonly owner: string | undefined
  readonly gitignores: readonly string[]
  readonly licenses: readonly string[]
  readonly labelSets: readonly string[]
}

const withNone = (values: readonly string[]) => [
  { value: '', label: newRepositoryTexts.chooseOne },
  ...values.map((value) => ({ value, label: value })),
]

/** What a new repository begins with, besides what its owner has to choose from. */
export const newRepositoryForm = formOf({
  description: line(() => ({ label: newRepositoryTexts.description, isProse: true }), { limit: 2048 }),
  auto_init: box(() => ({ label: texts.readme, hint: texts.readmeHint, checked: true }), { as: 'autoInit' }),
  gitignores: line(() => ({
    label: texts.gitignore,
    list: 'gitignore-names',
    placeholder: texts.gitignoreHint,
    autocomplete: 'off',
  })),
  default_branch: line(
    () => ({ label: texts.defaultBranch, value: usePage().config.repository.defaultBranch, required: true }),
    { limit: 100, as: 'defaultBranch' },
  ),
  object_format_name: select(
    () => ({ label: texts.objectFormat, choices: choicesOf({ sha1: 'SHA-1', sha256: 'SHA-256' }) }),
    { as: 'objectFormat' },
  ),
  trust_model: select(() => ({ label: texts.trustModel, choices: choicesOf(texts.trustModels) }), {
    as: 'trustModel',
  }),
  template: box(() => ({ label: texts.template, hint: texts.templateHint }), { as: 'isTemplate' }),
})

/** The form of a new repository. */
export const CreateView = ({ owners, owner, gitignores, licenses, labelSets }: CreateProps) => {
  const { config } = usePage()
  const fields = newRepositoryForm.show()
  return (
    <div class="container">
      <div class="narrow">
        <PageHead title={texts.title} lead={texts.lead}>
          {config.repository.disableMigrations ? null : (
            <ButtonLink to="/repo/migrate" icon="repo-push">
              {texts.migrate}
            </ButtonLink>
          )}
        </PageHead>
        <Form to="/repo/create" class="stack">
          <OwnerAndName owners={owners} owner={owner} />
          {fields.description}
          <Visibility isPrivate={false} />
          <fieldset class="stack">
            <legend>{texts.initialize}</legend>
            {fields.auto_init}
            <div class="fields-row">
              {fields.gitignores}
              <Select name="license" label={texts.license} choices={withNone(licenses)} required={false} />
            </div>
            <datalist id="gitignore-names">
              {gitignores.map((name) => (
                <option value={name} />
              ))}
            </datalist>
          </fieldset>
          <details class="more-options">
            <summary>{newRepositoryTexts.more}</summary>
            <div class="stack">
              <Select
                name="issue_labels"
                label={texts.labels}
                hint={texts.labelsHint}
                choices={withNone(labelSets)}
                required={false}
              />
              <div class="fields-row">
                {fields.default_branch}
                {fields.object_format_name}
              </div>
              <p class="hint">{texts.objectFormatHint}</p>
              {fields.trust_model}
              {fields.template}
            </div>
          </details>
          <SubmitRow>{texts.submit}</SubmitRow>
        </Form>
      </div>
    </div>
  )
}
