import type { UserRow } from '../../../db/tables/accounts.ts'
import { Submit } from '../../ui/button.tsx'
import { Checkbox, Field, Select } from '../../ui/field.tsx'
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

/** The form of a new repository. */
export const CreateView = ({ owners, owner, gitignores, licenses, labelSets }: CreateProps) => {
  const { config } = usePage()
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
          <Field name="description" label={newRepositoryTexts.description} maxlength={2048} isProse />
          <Visibility isPrivate={false} />
          <fieldset class="stack">
            <legend>{texts.initialize}</legend>
            <Checkbox name="auto_init" label={texts.readme} hint={texts.readmeHint} checked />
            <div class="fields-row">
              <Field
                name="gitignores"
                label={texts.gitignore}
                list="gitignore-names"
                placeholder={texts.gitignoreHint}
                autocomplete="off"
              />
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
                <Field
                  name="default_branch"
                  label={texts.defaultBranch}
                  value={config.repository.defaultBranch}
                  maxlength={100}
                  required
                />
                <Select
                  name="object_format_name"
                  label={texts.objectFormat}
                  choices={[
                    { value: 'sha1', label: 'SHA-1' },
                    { value: 'sha256', label: 'SHA-256' },
                  ]}
                />
              </div>
              <p class="hint">{texts.objectFormatHint}</p>
              <Select
                name="trust_model"
                label={texts.trustModel}
                choices={Object.entries(texts.trustModels).map(([value, label]) => ({ value, label }))}
              />
              <Checkbox name="template" label={texts.template} hint={texts.templateHint} />
            </div>
          </details>
          <div class="form-acts">
            <Submit>{texts.submit}</Submit>
          </div>
        </Form>
      </div>
    </div>
  )
}
