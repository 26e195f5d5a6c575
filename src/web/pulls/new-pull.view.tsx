import { ChoiceBoxes, NewSide } from '../issues/new-side.view.tsx'
import { Editor } from '../ui/editor.tsx'
import { Submit } from '../ui/button.tsx'
import { Checkbox, Field } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'
import { Icon } from '../ui/icon.tsx'
import { Link } from '../ui/link.tsx'
import { Menu } from '../ui/parts.tsx'
import { pathField } from '../ui/path-field.ts'
import { pathOf, withQuery } from '../ui/paths.ts'
import { BrokenTemplates, Questions, TemplateVersion } from '../shared/templates/questions.view.tsx'
import type { ChosenTemplate, NewPullFields } from './new-pull.ts'
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
  const { choices, reviewers, template } = form
  const asks = reviewers !== undefined && reviewers.people.length + reviewers.teams.length > 0
  const hasSide = choices !== undefined || asks
  return (
    <Form
      to={to}
      class={hasSide ? 'with-side new-pull' : 'stack new-pull'}
      label={texts.newPull}
      hidden={{ template: pathField(template.path ?? noTemplate) }}
    >
      <div class="stack">
        <TemplateVersion oid={template.oid} />
        <BrokenTemplates broken={template.broken} />
        {template.offered.length < (template.path === undefined ? 1 : 2) ? null : (
          <TemplateMenu to={to} template={template} />
        )}
        <Field name="title" label={texts.title} value={form.title} required isProse maxlength={255} />
        {template.fields ? (
          <Questions fields={template.fields} html={template.html} />
        ) : (
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
        )}
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
        <NewSide choices={choices} labels={form.labels} assignees={form.assignees} milestone={form.milestone}>
          {asks ? <ReviewerBoxes reviewers={reviewers} asked={form.asked} owner={repository.owner} /> : null}
        </NewSide>
      ) : asks ? (
        <div class="issue-side stack">
          <ReviewerBoxes reviewers={reviewers} asked={form.asked} owner={repository.owner} />
        </div>
      ) : null}
    </Form>
  )
}

/** Names no template: their files end in `.md` or `.yaml`. */
const noTemplate = 'none'

/** The templates to choose from, and the way to a form without any. */
const TemplateMenu = ({ to, template }: { readonly to: string; readonly template: ChosenTemplate }) => {
  const current = template.offered.find(({ path }) => path === template.path)
  const item = (path: string, name: string, about: string) => (
    <li>
      <Link
        to={withQuery(to, { template: pathField(path), open: 1 })}
        aria-current={path === (template.path ?? noTemplate) ? 'true' : undefined}
      >
        <span class="cut">
          {name}
          {about === '' ? null : <span class="muted"> {about}</span>}
        </span>
      </Link>
    </li>
  )
  return (
    <Menu
      class="template-menu"
      label={
        <>
          <span class="muted">{texts.template}</span>
          <span class="cut">{current?.name ?? texts.noTemplate}</span>
          <Icon name="triangle-down" />
        </>
      }
    >
      <ul>
        {template.offered.map(({ path, name, about }) => item(path, name, about))}
        {item(noTemplate, texts.noTemplate, '')}
      </ul>
    </Menu>
  )
}

const ReviewerBoxes = ({
  reviewers,
  asked,
  owner,
}: {
  readonly reviewers: NonNullable<NewPullFields['reviewers']>
  readonly asked: NewPullFields['asked']
  readonly owner: string
}) => {
  const names = new Set(asked.map((name) => name.toLowerCase()))
  return (
    <ChoiceBoxes
      id="new_reviewers"
      title={texts.reviewers}
      filter={issueTexts.filterBy(texts.reviewers)}
      count={reviewers.people.length + reviewers.teams.length}
    >
      {reviewers.people.map((person) => (
        <Checkbox
          name="reviewer"
          id={`reviewer_${person.id}`}
          value={person.name}
          label={person.name}
          checked={names.has(person.name.toLowerCase())}
        />
      ))}
      {reviewers.teams.map((team) => (
        <Checkbox
          name="team"
          id={`reviewer_team_${team.id}`}
          value={team.name}
          checked={names.has(`${owner}/${team.name}`.toLowerCase())}
          label={
            <>
              <Icon name="people" /> {team.name}
            </>
          }
        />
      ))}
    </ChoiceBoxes>
  )
}
