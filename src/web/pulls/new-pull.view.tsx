import { ChoiceBoxes, NewSide } from '../issues/new-side.view.tsx'
import { Editor } from '../ui/editor.tsx'
import { Submit } from '../ui/button.tsx'
import { Checkbox, Field } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'
import { Icon } from '../ui/icon.tsx'
import { pathOf } from '../ui/paths.ts'
import type { NewPullFields } from './new-pull.ts'
import type { RepositoryAddress } from './pull-paths.ts'
import { issueTexts, pullTexts as texts } from '../languages/texts.ts'

/**
 * The form that opens a pull request. The page that compares two branches shows it.
 * @param to the path of that page
 */
export const NewPullForm = ({
  repository,
  to,
  form,
}: {
  readonly repository: RepositoryAddress
  readonly to: string
  readonly form: NewPullFields
}) => {
  const { choices, reviewers } = form
  const asks = reviewers !== undefined && reviewers.people.length + reviewers.teams.length > 0
  const hasSide = choices !== undefined || asks
  return (
    <Form to={to} class={hasSide ? 'with-side new-pull' : 'stack new-pull'} label={texts.newPull}>
      <div class="stack">
        <Field name="title" label={texts.title} value={form.title} required isProse maxlength={255} />
        <Editor
          name="content"
          label={texts.description}
          isLabelShown
          value={form.description}
          rows={8}
          hint={texts.newHint}
          repository={repository}
          uploadTo={pathOf(repository.owner, repository.name, 'issues/attachments')}
        />
        <Checkbox name="draft" label={texts.createDraft} />
        {form.opensHead === undefined ? null : (
          <Checkbox
            name="maintainers"
            label={texts.maintainersMayEdit}
            hint={texts.maintainersHint}
            checked={form.opensHead}
          />
        )}
        <div class="form-acts">
          <Submit icon="git-pull-request">{texts.create}</Submit>
        </div>
      </div>
      {choices !== undefined ? (
        <NewSide choices={choices} labels={form.labels} assignees={form.assignees}>
          {asks ? <ReviewerBoxes reviewers={reviewers} /> : null}
        </NewSide>
      ) : asks ? (
        <div class="issue-side stack">
          <ReviewerBoxes reviewers={reviewers} />
        </div>
      ) : null}
    </Form>
  )
}

const ReviewerBoxes = ({ reviewers }: { readonly reviewers: NonNullable<NewPullFields['reviewers']> }) => (
  <ChoiceBoxes
    id="new_reviewers"
    title={texts.reviewers}
    filter={issueTexts.filterBy(texts.reviewers)}
    count={reviewers.people.length + reviewers.teams.length}
  >
    {reviewers.people.map((person) => (
      <Checkbox name="reviewer" id={`reviewer_${person.id}`} value={person.name} label={person.name} />
    ))}
    {reviewers.teams.map((team) => (
      <Checkbox
        name="team"
        id={`reviewer_team_${team.id}`}
        value={team.name}
        label={
          <>
            <Icon name="people" /> {team.name}
          </>
        }
      />
    ))}
  </ChoiceBoxes>
)
