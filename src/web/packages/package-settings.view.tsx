import type { UserRow } from '../../db/tables/accounts.ts'
import type { VersionRecord } from '../../packages/package.store.ts'
import { ActButton, SubmitRow } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'
import { Icon } from '../ui/icon.tsx'
import { Link } from '../ui/link.tsx'
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
      <section class="section" aria-labelledby="repository_link">
        <h2 id="repository_link">{texts.repository}</h2>
        <p class="lead">{texts.repositoryLead}</p>
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
      </section>
      <section class="section" aria-labelledby="delete_version">
        <h2 id="delete_version">{texts.delete}</h2>
        <p class="lead">{texts.deleteLead(version.version)}</p>
        <ActButton to={`${at}/delete`} kind="danger" confirm={texts.deleteQuestion(version.name, version.version)}>
          {texts.delete}
        </ActButton>
      </section>
      <section class="section" aria-labelledby="delete_package">
        <h2 id="delete_package">{texts.deletePackage}</h2>
        <p class="lead">{texts.deletePackageLead(versionCount)}</p>
        <ActButton
          to={`${packagePath(owner, version)}/delete`}
          kind="danger"
          confirm={texts.deletePackageQuestion(version.name, versionCount)}
        >
          {texts.deletePackage}
        </ActButton>
      </section>
    </div>
  )
}
