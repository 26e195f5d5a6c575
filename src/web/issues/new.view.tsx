import type { IssueChoices } from '../../issues/lists/query-list.service.ts'
import type { RepoWithOwner } from '../../issues/repo-with-owner.ts'
import { attributeOf, isRequired, labelOf, optionsOf } from '../../issues/templates/form-text.rules.ts'
import type { FormField, IssueConfig, IssueTemplate } from '../../issues/templates/template.parse.ts'
import { Editor } from '../ui/editor.tsx'
import { Submit } from '../ui/button.tsx'
import { Checkbox, Field, Select, TextArea } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'
import { ColorDot } from '../ui/label.tsx'
import { ButtonLink, OutsideLink } from '../ui/link.tsx'
import { Box, PageHead } from '../ui/parts.tsx'
import { pathOf, withQuery } from '../ui/paths.ts'
import { texts as all } from './texts.tsx'

const texts = all.create

export interface NewIssueProps {
  readonly place: RepoWithOwner
  readonly template: IssueTemplate | undefined
  /** Undefined: the person may not set labels, milestone and assignees. */
  readonly choices: IssueChoices | undefined
  readonly title: string | undefined
  readonly body: string | undefined
  readonly milestone: number | undefined
}

/** The templates of a repository. */
export const ChooseView = ({
  place,
  templates,
  config,
}: {
  readonly place: RepoWithOwner
  readonly templates: readonly IssueTemplate[]
  readonly config: IssueConfig
}) => {
  const at = pathOf(place.owner.name, place.repo.name, 'issues', 'new')
  return (
    <div class="narrow">
      <PageHead title={texts.choose} />
      <Box>
        <ul class="rows" data-rows="">
          {templates.map(({ path, name, about }) => (
            <li class="row">
              <div class="row-main">
                <strong>{name}</strong>
                <p class="muted">{about}</p>
              </div>
              <ButtonLink to={withQuery(at, { template: path })} aria-label={`${texts.start}: ${name}`}>
                {texts.start}
              </ButtonLink>
            </li>
          ))}
          {config.contactLinks.map(({ name, url, about }) => (
            <li class="row">
              <div class="row-main">
                <strong>{name}</strong>
                <p class="muted">{about}</p>
              </div>
              <OutsideLink class="button plain" href={url} aria-label={`${texts.open}: ${name}`}>
                {texts.open}
              </OutsideLink>
            </li>
          ))}
          {config.allowsBlank ? (
            <li class="row">
              <div class="row-main">
                <strong>{texts.blank}</strong>
                <p class="muted">{texts.blankAbout}</p>
              </div>
              <ButtonLink to={at} aria-label={`${texts.start}: ${texts.blank}`}>
                {texts.start}
              </ButtonLink>
            </li>
          ) : null}
        </ul>
      </Box>
    </div>
  )
}

/** The form of a new issue. */
export const NewIssueView = ({ place, template, choices, title, body, milestone }: NewIssueProps) => {
  const labels = new Set(template?.labels ?? [])
  return (
    <>
      <PageHead
        title={template ? `${texts.title}: ${template.name}` : texts.title}
        {...(template && template.about !== '' ? { lead: template.about } : {})}
      />
      <Form
        to={pathOf(place.owner.name, place.repo.name, 'issues', 'new')}
        class="with-side"
        hidden={{ template: template?.path, ref: template?.ref === '' ? undefined : template?.ref }}
      >
        <div class="stack">
          <Field
            name="title"
            label={texts.name}
            value={title ?? template?.title}
            required
            isProse
            autofocus
            maxlength={255}
          />
          {template?.fields ? (
            template.fields.map((field, index) => <Question field={field} name={`field-${index}`} />)
          ) : (
            <Editor
              name="content"
              label={texts.text}
              value={body ?? template?.content}
              rows={12}
              placeholder={texts.textHint}
              repository={{ owner: place.owner.name, name: place.repo.name }}
              uploadTo={pathOf(place.owner.name, place.repo.name, 'issues', 'attachments')}
            />
          )}
          <div class="form-acts end">
            <Submit>{texts.submit}</Submit>
          </div>
        </div>
        {choices ? (
          <div class="issue-side stack">
            {choices.labels.length > 0 ? (
              <fieldset class="choices">
                <legend>{all.labels}</legend>
                {choices.labels.map((label) => (
                  <Checkbox
                    name="label"
                    id={`label_${label.id}`}
                    value={String(label.id)}
                    checked={labels.has(label.name)}
                    label={
                      <>
                        <ColorDot color={label.color} /> {label.name}
                      </>
                    }
                  />
                ))}
              </fieldset>
            ) : null}
            <fieldset class="choices">
              <legend>{all.issue.assignees}</legend>
              {choices.people.map((person) => (
                <Checkbox name="assignee" id={`assignee_${person.id}`} value={person.name} label={person.name} />
              ))}
            </fieldset>
            <Select
              name="milestone"
              label={all.issue.milestone}
              value={String(milestone ?? 0)}
              choices={[
                { value: '0', label: texts.none },
                ...choices.milestones.map(({ id, title: name }) => ({ value: String(id), label: name })),
              ]}
            />
            <Field name="due" type="date" label={texts.dueDate} isTerse />
          </div>
        ) : null}
      </Form>
    </>
  )
}

/** A question of a form. */
const Question = ({ field, name }: { readonly field: FormField; readonly name: string }) => {
  if (!field.visibleIn.includes('form')) return null
  const label = labelOf(field)
  const about = attributeOf(field, 'description')
  const hint = about === '' ? {} : { hint: about }
  const required = isRequired(field)
  const value = attributeOf(field, 'value')
  const placeholder = attributeOf(field, 'placeholder')
  switch (field.type) {
    case 'markdown':
      return <p class="form-note">{value}</p>
    case 'textarea':
      return <TextArea {...{ name, label, required, value, placeholder, ...hint }} rows={6} />
    case 'input':
      return <Field {...{ name, label, required, value, placeholder, ...hint }} isProse />
    case 'dropdown':
      return (
        <Select
          {...{ name, label, required, ...hint }}
          choices={[
            ...(required ? [] : [{ value: '', label: texts.none }]),
            ...optionsOf(field).map((option, index) => ({ value: String(index), label: option.label })),
          ]}
        />
      )
    case 'checkboxes':
      return (
        <fieldset class="choices">
          <legend>{label}</legend>
          {about === '' ? null : <p class="hint">{about}</p>}
          {optionsOf(field).map((option, index) => (
            <Checkbox name={name} id={`${name}_${index}`} value={String(index)} label={option.label} />
          ))}
        </fieldset>
      )
  }
}
