import type { IssueChoices } from '../../issues/lists/query-list.service.ts'
import type { RepoWithOwner } from '../../issues/repo-with-owner.ts'
import {
  attributeOf,
  defaultOf,
  isRequired,
  labelOf,
  optionsOf,
  takesSeveral,
} from '../../issues/templates/form-text.rules.ts'
import type { FormField } from '../../issues/templates/form-field.ts'
import type { IssueConfig, IssueTemplate } from '../../issues/templates/template.parse.ts'
import { Editor } from '../ui/editor.tsx'
import { Submit } from '../ui/button.tsx'
import { Checkbox, Field, Select, TextArea } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'
import { ButtonLink, OutsideLink } from '../ui/link.tsx'
import { Box, Markup, PageHead } from '../ui/parts.tsx'
import { pathField } from '../ui/path-field.ts'
import { pathOf, withQuery } from '../ui/paths.ts'
import { Raw } from '../ui/raw.tsx'
import { uiTexts as common } from '../languages/texts.ts'
import { NewSide } from './new-side.view.tsx'
import { issueTexts } from '../languages/texts.ts'

const texts = issueTexts.create

export interface NewIssueProps {
  readonly repository: RepoWithOwner
  readonly template: IssueTemplate | undefined
  /** Undefined: the person may not set labels, milestone and assignees. */
  readonly choices: IssueChoices | undefined
  readonly title: string | undefined
  readonly body: string | undefined
  readonly milestone: number | undefined
  /** Texts of the form as HTML, by their Markdown. */
  readonly html: ReadonlyMap<string, string>
}

/** The templates of a repository. */
export const ChooseView = ({
  repository,
  templates,
  config,
}: {
  readonly repository: RepoWithOwner
  readonly templates: readonly IssueTemplate[]
  readonly config: IssueConfig
}) => {
  const at = pathOf(repository.owner.name, repository.repo.name, 'issues', 'new')
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
              <ButtonLink to={withQuery(at, { template: pathField(path) })} aria-label={`${texts.start}: ${name}`}>
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
export const NewIssueView = ({ repository, template, choices, title, body, milestone, html }: NewIssueProps) => {
  return (
    <>
      <PageHead
        title={template ? `${texts.title}: ${template.name}` : texts.title}
        {...(template && template.about !== '' ? { lead: template.about } : {})}
      />
      <Form
        isSentOnce
        to={pathOf(repository.owner.name, repository.repo.name, 'issues', 'new')}
        class="with-side"
        hidden={{
          template: template && pathField(template.path),
          ref: template?.ref === '' ? undefined : template?.ref,
        }}
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
            template.fields.map((field, index) => <Question field={field} name={`field-${index}`} html={html} />)
          ) : (
            <Editor
              name="content"
              label={texts.text}
              value={body ?? template?.content}
              rows={12}
              placeholder={texts.textHint}
              repository={{ owner: repository.owner.name, name: repository.repo.name }}
              uploadTo={pathOf(repository.owner.name, repository.repo.name, 'issues', 'attachments')}
            />
          )}
          <div class="form-acts end">
            <Submit>{texts.submit}</Submit>
          </div>
        </div>
        {choices ? (
          <NewSide choices={choices} labels={template?.labels} assignees={template?.assignees} milestone={milestone} />
        ) : null}
      </Form>
    </>
  )
}

/** A text of a form: as HTML without the paragraph around it, or as it is. */
const FormText = ({ text, html }: { readonly text: string; readonly html: NewIssueProps['html'] }) => {
  const rendered = html.get(text)
  return rendered === undefined ? <>{text}</> : <Raw html={rendered.trim().replaceAll(/^<p[^>]*>|<\/p>$/g, '')} />
}

/** Returns the texts of a form whose Markdown is rendered: paragraphs, and short texts that contain any. */
export const markdownOf = (fields: readonly FormField[]): readonly string[] => {
  const short = fields.flatMap((field) => [
    attributeOf(field, 'description'),
    ...(field.type === 'checkboxes' ? optionsOf(field).map(({ label }) => label) : []),
  ])
  return [
    ...new Set([
      ...fields.flatMap((field) => (field.type === 'markdown' ? attributeOf(field, 'value') : [])),
      ...short.filter((text) => /[*_`~[\]<>@#]|:\/\//.test(text)),
    ]),
  ]
}

interface QuestionProps extends Pick<NewIssueProps, 'html'> {
  readonly field: FormField
  /** Name of its field in the form. */
  readonly name: string
}

/** A question of a form. */
const Question = ({ field, name, html }: QuestionProps) => {
  if (!field.visibleIn.includes('form')) return null
  const label = labelOf(field)
  const about = attributeOf(field, 'description')
  const hint = about === '' ? {} : { hint: <FormText text={about} html={html} /> }
  const required = isRequired(field)
  const value = attributeOf(field, 'value')
  const placeholder = attributeOf(field, 'placeholder')
  switch (field.type) {
    case 'markdown':
      return <Markup html={html.get(value) ?? ''} class="compact" />
    case 'textarea':
      return (
        <TextArea
          {...{ name, label, required, value, placeholder, ...hint }}
          rows={6}
          isCode={attributeOf(field, 'render') !== ''}
        />
      )
    case 'input':
      return <Field {...{ name, label, required, value, placeholder, ...hint }} isProse />
    case 'dropdown':
      return takesSeveral(field) ? (
        <Choices {...{ field, name, html }} />
      ) : (
        <Select
          {...{ name, label, required, ...hint }}
          value={defaultOf(field)}
          choices={[
            ...(required ? [] : [{ value: '', label: texts.none }]),
            ...optionsOf(field).map((option, index) => ({ value: String(index), label: option.label })),
          ]}
        />
      )
    case 'checkboxes':
      return <Choices {...{ field, name, html }} />
  }
}

/** Boxes to tick, for a question with several answers. */
const Choices = ({ field, name, html }: QuestionProps) => {
  const about = attributeOf(field, 'description')
  return (
    <fieldset class="choices form-choices">
      <legend>
        {labelOf(field)}
        {field.type === 'dropdown' && !isRequired(field) ? <span class="optional"> {common.optional}</span> : null}
      </legend>
      {about === '' ? null : (
        <p class="hint">
          <FormText text={about} html={html} />
        </p>
      )}
      {optionsOf(field).map((option, index) =>
        !option.isInForm ? null : (
          <Checkbox
            name={name}
            id={`${name}_${index}`}
            value={String(index)}
            required={option.isRequired}
            checked={field.type === 'dropdown' && defaultOf(field) === String(index)}
            label={
              <>
                <FormText text={option.label} html={html} />
                {option.isRequired ? <span class="optional"> {texts.required}</span> : null}
              </>
            }
          />
        ),
      )}
    </fieldset>
  )
}
