import type { UserRow } from '../../../db/tables/accounts.ts'
import { Field, Radios, Select } from '../../ui/field.tsx'
import { usePage } from '../../ui/page-context.ts'
import { newRepositoryTexts as texts } from '../../languages/texts.ts'

/** Owner and name of a new repository in one row. */
export const OwnerAndName = ({
  owners,
  owner,
  name,
}: {
  readonly owners: readonly UserRow[]
  /** The owner that is chosen at first. */
  readonly owner?: string | undefined
  readonly name?: string | undefined
}) => (
  <div class="new-repo-name">
    <Select
      name="owner"
      label={texts.owner}
      value={owner ?? owners[0]?.name}
      choices={owners.map((each) => ({ value: each.name, label: each.name }))}
    />
    <span class="muted" aria-hidden="true">
      /
    </span>
    <Field name="name" label={texts.name} value={name} required maxlength={100} autofocus pattern="[A-Za-z0-9_.\-]+" />
  </div>
)

/** The choice between public and private. */
export const Visibility = ({ isPrivate }: { readonly isPrivate: boolean }) => {
  const { config } = usePage()
  return config.repository.forcePrivate ? (
    <p class="hint">{texts.forcedPrivate}</p>
  ) : (
    <Radios
      name="visibility"
      label={texts.visibility}
      value={isPrivate ? 'private' : 'public'}
      choices={[
        { value: 'public', label: texts.public, hint: texts.publicHint },
        { value: 'private', label: texts.private, hint: texts.privateHint },
      ]}
    />
  )
}
