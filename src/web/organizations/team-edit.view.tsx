import type { UserRow } from '../../db/tables/accounts.ts'
import { orgPath } from '../frames/organization-frame.tsx'
import { SubmitRow } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'
import { PageHead } from '../ui/parts.tsx'
import { Section } from '../ui/section.tsx'
import { TeamForm, type EditedTeam } from './team-form.view.tsx'
import { organizationTexts as commonTexts, teamTexts as texts } from '../languages/texts.ts'

export const EditTeamView = ({ org, edited }: { readonly org: UserRow; readonly edited: EditedTeam }) => {
  const { team } = edited
  const at = (...parts: readonly string[]) => orgPath(org, 'teams', team.lower_name, ...parts)
  return (
    <div class="stack loose">
      <div>
        <PageHead title={texts.editTitle(team.name)} />
        <TeamForm to={at('edit')} cancelTo={at()} edited={edited} />
      </div>
      {team.access_mode === 4 ? null : (
        <Section title={texts.delete} id="delete" lead={texts.deleteHint} isDanger>
          <Form to={at('delete')} class="stack">
            <Field name="confirm" label={commonTexts.typeName(team.name)} required autocomplete="off" />
            <SubmitRow kind="danger">{texts.delete}</SubmitRow>
          </Form>
        </Section>
      )}
    </div>
  )
}
