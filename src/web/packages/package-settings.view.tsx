import type { UserRow } from '../../db/tables/accounts.ts'
import type { VersionRecord } from '../../packages/package.store.ts'
import { ActButton, SubmitRow } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'
import { Icon } from '../ui/icon.tsx'
import { Link } from '../ui/link.tsx'
import { Section } from '../ui/section.tsx'
import { pathOf } from '../ui/paths.ts'
import { packagePath, versionPath } from './package-paths.ts'
import { PackagePath } from './packages.view.tsx'
import { packageTexts as texts } from '../languages/texts.ts'

/** What the owner of a package may change. */
export const PackageSettingsView = ({
  owner,
  version,
  linked,
  versionCount,
  repositories,
}: {
  readonly owner: UserRow
  readonly version: VersionRecord
  /** The full name of the linked repository; empty when the viewer may not see it, undefined without a link. */
  readonly linked: string | undefined
  readonly versionCount: number
  /** Names of repositories of the owner. */
  readonly repositories: readonly string[]
}) => {
  const at = versionPath(owner, version)
  return (
    <div class="container stack">
      <PackagePath owner={owner} row={version} withPackage version={version}>
        <h1>{texts.settingsOf(version.name)}</h1>
      </PackagePath>
      <Section title={texts.repository} id="repository_link" lead={texts.repositoryLead}>
        {linked === undefined ? (
          <Form to={`${at}/link`} class="stack">
            <Field
              name="repository"
              label={texts.repositoryName}
              list="repositories_of_owner"
              required
              autocomplete="off"
            />
            <datalist id="repositories_of_owner">
              {repositories.map((name) => (
                <option value={name} />
              ))}
            </datalist>
            <SubmitRow>{texts.link}</SubmitRow>
          </Form>
        ) : (
          <div class="line">
            {linked === '' ? null : (
              <span>
                {texts.linkedTo} <Icon name="repo" /> <Link to={pathOf(linked)}>{linked}</Link>
              </span>
            )}
            <ActButton to={`${at}/unlink`}>{texts.unlink}</ActButton>
          </div>
        )}
      </Section>
      <Section title={texts.delete} id="delete_version" lead={texts.deleteLead(version.version)}>
        <ActButton to={`${at}/delete`} kind="danger" confirm={texts.deleteQuestion(version.name, version.version)}>
          {texts.delete}
        </ActButton>
      </Section>
      <Section title={texts.deletePackage} id="delete_package" lead={texts.deletePackageLead(versionCount)}>
        <ActButton
          to={`${packagePath(owner, version)}/delete`}
          kind="danger"
          confirm={texts.deletePackageQuestion(version.name, versionCount)}
        >
          {texts.deletePackage}
        </ActButton>
      </Section>
    </div>
  )
}
