import type { ComponentChildren } from 'preact'
import type { IssueChoices } from '../../issues/lists/query-list.service.ts'
import { Checkbox, Field, Select } from '../ui/field.tsx'
import { ColorDot } from '../ui/label.tsx'
import { MenuFilter } from '../ui/parts.tsx'
import { PersonName } from '../ui/person.tsx'
import { issueTexts } from '../languages/texts.ts'
import { searchedFrom } from './list.view.tsx'

const texts = issueTexts.create

/** Boxes to tick at the side of a form, with a filter when there are many. */
export const ChoiceBoxes = ({
  id,
  title,
  filter,
  count,
  children,
}: {
  readonly id: string
  readonly title: string
  /** Name of the filter. */
  readonly filter: string
  readonly count: number
  readonly children: ComponentChildren
}) => (
  <fieldset class="choices">
    <legend>{title}</legend>
    {count > searchedFrom ? <MenuFilter list={id} label={filter} /> : null}
    <div class="choices" id={id}>
      {children}
    </div>
  </fieldset>
)

/** Labels, assignees, milestone and due date of a new issue or pull request. */
export const NewSide = ({
  choices,
  labels = [],
  assignees = [],
  milestone,
  children,
}: {
  readonly choices: IssueChoices
  /** Names of the labels that are ticked. */
  readonly labels?: readonly string[] | undefined
  /** Names of the people who are ticked, in any case. */
  readonly assignees?: readonly string[] | undefined
  readonly milestone?: number | undefined
  /** Fields before these. */
  readonly children?: ComponentChildren
}) => (
  <div class="issue-side stack">
    {children}
    {choices.labels.length > 0 ? (
      <ChoiceBoxes
        id="new_labels"
        title={issueTexts.labels}
        filter={issueTexts.filterBy(issueTexts.filters.label)}
        count={choices.labels.length}
      >
        {choices.labels.map((label) => (
          <Checkbox
            name="label"
            id={`label_${label.id}`}
            value={String(label.id)}
            checked={labels.includes(label.name)}
            label={
              <>
                <ColorDot color={label.color} /> {label.name}
              </>
            }
          />
        ))}
      </ChoiceBoxes>
    ) : null}
    <ChoiceBoxes
      id="new_assignees"
      title={issueTexts.issue.assignees}
      filter={issueTexts.filterBy(issueTexts.filters.assignee)}
      count={choices.people.length}
    >
      {choices.people.map((person) => (
        <Checkbox
          name="assignee"
          id={`assignee_${person.id}`}
          value={person.name}
          checked={assignees.some((name) => name.toLowerCase() === person.name.toLowerCase())}
          label={<PersonName person={person} />}
        />
      ))}
    </ChoiceBoxes>
    <Select
      name="milestone"
      label={issueTexts.issue.milestone}
      value={String(milestone ?? 0)}
      choices={[
        { value: '0', label: texts.none },
        ...choices.milestones.map(({ id, title: name }) => ({ value: String(id), label: name })),
      ]}
    />
    <Field name="due" type="date" label={texts.dueDate} isTerse />
  </div>
)
