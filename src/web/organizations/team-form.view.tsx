import type { TeamRow } from '../../db/tables/accounts.ts'
import { repoUnits, type RepoUnit } from '../../db/tables/repositories.ts'
import { Submit } from '../ui/button.tsx'
import { Checkbox, Field, OthersValue, Radios } from '../ui/field.tsx'
import { noteStored } from '../ui/form-state.ts'
import { Form } from '../ui/form.tsx'
import { ButtonLink } from '../ui/link.tsx'
import { usePage } from '../ui/page-context.ts'
import { Box } from '../ui/parts.tsx'
import { unitLevels } from './team-form.ts'
import { organizationTexts as commonTexts, teamTexts as texts } from '../languages/texts.ts'

/** What the form of a team begins with. */
export interface EditedTeam {
  readonly team: TeamRow
  /** Levels of the parts of a repository; absent ones are none. */
  readonly units: ReadonlyMap<RepoUnit, (typeof unitLevels)[number]>
}

/** Parts that a new team reads. */
const newUnits: ReadonlySet<RepoUnit> = new Set(['code', 'issues', 'pulls', 'releases', 'wiki', 'projects', 'packages'])

/**
 * The form of a team.
 * @param edited undefined for a new team
 */
export const TeamForm = ({
  to,
  cancelTo,
  edited,
}: {
  readonly to: string
  readonly cancelTo: string
  readonly edited?: EditedTeam
}) => {
  const isOwners = edited?.team.access_mode === 4
  return (
    <Form isEdit to={to} class="stack">
      <Field
        name="name"
        label={texts.name}
        value={edited?.team.name}
        hint={texts.nameHint}
        required
        maxlength={255}
        pattern="[A-Za-z0-9_.\-]+"
        autocomplete="off"
      />
      <Field name="description" label={texts.description} value={edited?.team.description} maxlength={255} isProse />
      {isOwners ? <p class="muted">{texts.ownersHint}</p> : <Access to={to} edited={edited} />}
      <div class="form-acts">
        <Submit>{edited === undefined ? texts.create : commonTexts.save}</Submit>
        <ButtonLink to={cancelTo} kind="quiet">
          {commonTexts.cancel}
        </ButtonLink>
      </div>
    </Form>
  )
}

const Access = ({ to, edited }: { readonly to: string; readonly edited: EditedTeam | undefined }) => (
  <>
    <Radios
      name="access"
      label={texts.access}
      value={edited?.team.access_mode === 3 ? 'admin' : 'units'}
      choices={[
        { value: 'units', label: texts.byUnit, hint: texts.byUnitHint },
        { value: 'admin', label: texts.admin, hint: texts.adminHint },
      ]}
    />
    <UnitTable to={to} edited={edited} />
    <Radios
      name="repositories"
      label={texts.repositories}
      value={edited?.team.includes_all_repositories ? 'all' : 'some'}
      choices={[
        { value: 'some', label: texts.someRepositories, hint: texts.someRepositoriesHint },
        { value: 'all', label: texts.allRepositories, hint: texts.allRepositoriesHint },
      ]}
    />
    <Checkbox
      name="can_create_org_repo"
      label={texts.mayCreate}
      hint={texts.mayCreateHint}
      checked={edited?.team.can_create_org_repo ?? false}
    />
  </>
)

/** Says the stored level of a part, and what somebody else made of it. */
const StoredLevel = ({ name, level }: { readonly name: string; readonly level: (typeof unitLevels)[number] }) => {
  noteStored(name, [level], texts.levels[level])
  return <OthersValue name={name} id={name} />
}

/** The level of each part of a repository. */
const UnitTable = ({ to, edited }: { readonly to: string; readonly edited: EditedTeam | undefined }) => {
  const { refused } = usePage()
  const sent = refused?.action === to ? refused.values : {}
  const first = (unit: RepoUnit): (typeof unitLevels)[number] =>
    edited ? (edited.units.get(unit) ?? 'none') : newUnits.has(unit) ? 'read' : 'none'
  const levelOf = (unit: RepoUnit): unknown => sent[`unit_${unit}`] ?? first(unit)
  return (
    <Box class="unit-table-holder">
      <table class="data row-heads unit-table">
        <caption class="sr-only">{texts.unitTable}</caption>
        <thead>
          <tr>
            <th scope="col">{texts.part}</th>
            {unitLevels.map((level) => (
              <th scope="col">{texts.levels[level]}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {repoUnits.map((unit) => (
            <tr>
              <th scope="row">
                {texts.units[unit]}
                <StoredLevel name={`unit_${unit}`} level={first(unit)} />
              </th>
              {unitLevels.map((level) => (
                <td>
                  <label>
                    <input
                      type="radio"
                      name={`unit_${unit}`}
                      value={level}
                      checked={levelOf(unit) === level}
                      aria-label={`${texts.units[unit]}: ${texts.levels[level]}`}
                    />
                  </label>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Box>
  )
}
